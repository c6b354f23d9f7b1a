#include "app/model/hub/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "core/base/files/files.h"
#include "tests/app/model/environment.h"
#include "tests/core/base/temporary_folder.h"

namespace pairs::model {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(SettingsFile, WithoutAFileTheDefaultsHoldAndNothingIsWritten) {
  const TemporaryFolder folder;
  SettingsFile file(folder / "new" / "settings.toml");
  const Settings settings = file.load();
  EXPECT_EQ(settings, Settings());
  file.save(settings);
  EXPECT_EQ(file.problem(), "");
  EXPECT_FALSE(fs::exists(folder / "new"));
}

TEST(SettingsFile, EverySettingComesBack) {
  const TemporaryFolder folder;
  SettingsFile file(folder / "new" / "settings.toml");
  Settings settings = file.load();
  settings.theme = "light";
  settings.scale = 1.5;
  settings.task = "digits";
  settings.run = "/runs/a \"b\"\n\\";
  settings.tab = "train";
  settings.runs_folder = "/läufe";
  settings.data_folder = "/data";
  settings.run_folders = {"/x", "/y"};
  settings.device = "cuda:1";
  settings.threads = 3;
  settings.width = 1024;
  settings.height = 700;
  settings.maximized = true;
  settings.sidebar = 300.25;
  settings.drawer = 120;
  settings.sidebar_open = false;
  settings.log_open = true;
  settings.dismiss("threads");
  settings.dismiss("threads");
  settings.file_dialogs = "own";
  settings.remember_file("/data/events.csv");
  settings.remember_saved("/figures/a.svg");
  file.save(settings);
  EXPECT_EQ(file.problem(), "");
  SettingsFile again(folder / "new" / "settings.toml");
  const Settings read = again.load();
  EXPECT_EQ(again.problem(), "");
  EXPECT_EQ(read, settings);
  EXPECT_THAT(read.dismissed, ElementsAre("threads"));
}

TEST(SettingsFile, WritesOnlyWhatChanged) {
  const TemporaryFolder folder;
  const fs::path path = folder / "settings.toml";
  write_file(path, "theme = 'light'\n[plugin]\nanswer = 42\n");
  SettingsFile file(path);
  Settings settings = file.load();
  const auto before = fs::last_write_time(path);
  fs::last_write_time(path, before - std::chrono::hours(1));
  file.save(settings);
  EXPECT_EQ(fs::last_write_time(path), before - std::chrono::hours(1));
  settings.scale = 2;
  file.save(settings);
  const std::string text = read_file(path);
  EXPECT_THAT(text, HasSubstr("scale = 2.0"));
  EXPECT_THAT(text, HasSubstr("answer = 42"));
  EXPECT_THAT(text, Not(HasSubstr("drawer")));
}

TEST(SettingsFile, TwoWindowsKeepEachOthersSettings) {
  const TemporaryFolder folder;
  SettingsFile one(folder / "settings.toml"), two(folder / "settings.toml");
  Settings a = one.load(), b = two.load();
  a.theme = "light";
  one.save(a);
  b.tab = "compare";
  two.save(b);
  const Settings both = SettingsFile(folder / "settings.toml").load();
  EXPECT_EQ(both.theme, "light");
  EXPECT_EQ(both.tab, "compare");
}

TEST(SettingsFile, ADamagedFileIsKeptAsideAndNamed) {
  for (const std::string& text : {std::string("theme = \"light"), std::string("\xff\xfe\0x", 4), std::string("[[[[")}) {
    const TemporaryFolder folder;
    const fs::path path = folder / "settings.toml";
    write_file(path, text);
    SettingsFile file(path);
    Settings settings = file.load();
    EXPECT_EQ(settings, Settings());
    EXPECT_THAT(file.problem(), HasSubstr("settings.toml.bad"));
    EXPECT_EQ(read_file(folder / "settings.toml.bad"), text);
    // What is saved next can be read again.
    settings.theme = "light";
    file.save(settings);
    SettingsFile again(path);
    EXPECT_EQ(again.load().theme, "light");
    EXPECT_EQ(again.problem(), "");
  }
}

// Nothing of it could be used, and a copy would fill the disk.
TEST(SettingsFile, AFileTooLargeToBeSettingsIsMoved) {
  const TemporaryFolder folder;
  const fs::path path = folder / "settings.toml";
  write_file(path, "");
  fs::resize_file(path, std::uintmax_t{200} << 30);  // sparse
  SettingsFile file(path);
  EXPECT_EQ(file.load(), Settings());
  EXPECT_THAT(file.problem(), HasSubstr("settings.toml.bad"));
  EXPECT_FALSE(fs::exists(path));
  EXPECT_EQ(fs::file_size(folder / "settings.toml.bad"), std::uintmax_t{200} << 30);
}

TEST(SettingsFile, AWrongValueCostsOnlyItself) {
  const TemporaryFolder folder;
  write_file(folder / "settings.toml",
             "theme = 'pink'\nscale = nan\nwidth = 1e3\nrun_folders = ['a', 1]\ntab = 'train'\nheight = 99999999999\n"
             "device = 'gpu'\nthreads = -1\nfile_dialogs = 'none'\n");
  SettingsFile file(folder / "settings.toml");
  const Settings settings = file.load();
  Settings wanted;
  wanted.tab = "train";
  EXPECT_EQ(settings, wanted);
  for (const char* key : {"theme", "scale", "width", "run_folders", "height", "device", "threads", "file_dialogs"})
    EXPECT_THAT(file.problem(), HasSubstr(key));
  EXPECT_THAT(file.problem(), Not(HasSubstr("tab")));
  file.save(settings);
  SettingsFile again(folder / "settings.toml");
  EXPECT_EQ(again.load(), wanted);
  EXPECT_EQ(again.problem(), "");
}

TEST(SettingsFile, AWrongKeyOfTheQuestionCostsOnlyItself) {
  const TemporaryFolder folder;
  write_file(folder / "settings.toml",
             "tab = 'train'\n[question]\ninterval = 'wide'\nlearned_product = true\nseed = -1\nnew = 1\n"
             "derived = ['twice = 2*theta', 5]\n[question.set]\nfile = '/events.csv'\ncolumns = 3\ngiven = '1'\n"
             "[[question.pinned]]\nrun = 'bump-hunt'\nn = 0\n[[question.pinned]]\nname = 'good'\nrun = 'bump-hunt'\n");
  SettingsFile file(folder / "settings.toml");
  const Settings settings = file.load();
  Settings wanted;
  wanted.tab = "train";
  wanted.question.learned_product = true;
  wanted.question.derived = {"twice = 2*theta"};
  wanted.question.set.file = "/events.csv";
  wanted.question.pinned = {{"good", "bump-hunt", {}, 1}};
  EXPECT_EQ(settings, wanted);
  for (const char* key : {"interval", "seed", "new", "derived", "set.columns", "set.given", "pinned"})
    EXPECT_THAT(file.problem(), HasSubstr(std::string("question.") + key));
  EXPECT_THAT(file.problem(), Not(HasSubstr("learned_product")));
  EXPECT_THAT(file.problem(), HasSubstr("settings.toml.bad"));
  file.save(settings);
  SettingsFile again(folder / "settings.toml");
  EXPECT_EQ(again.load(), wanted);
  EXPECT_EQ(again.problem(), "");
  write_file(folder / "settings.toml", "question = 3\n");
  EXPECT_EQ(file.load(), Settings());
  EXPECT_THAT(file.problem(), HasSubstr("question cannot be used"));
}

TEST(Settings, RememberWhatWasOpenedAndWhereItWasSaved) {
  Settings settings;
  for (int k = 0; k < 20; ++k) settings.remember_file("/data/" + std::to_string(k));
  EXPECT_EQ(settings.recent_files.size(), 12u);
  EXPECT_EQ(settings.recent_files.front(), "/data/19");
  settings.remember_file("/data/15/");
  EXPECT_EQ(settings.recent_files.size(), 12u) << "none twice";
  EXPECT_EQ(settings.recent_files.front(), "/data/15");
  settings.remember_file("here.csv");
  EXPECT_EQ(settings.recent_files.front(), (std::filesystem::current_path() / "here.csv").string());
  settings.remember_saved("/figures/new/a.svg");
  EXPECT_EQ(settings.recent_files.front(), "/figures/new");
  EXPECT_EQ(settings.save_folder, "/figures/new");
  EXPECT_EQ(settings.chosen_save_folder("bump-hunt"), "");
  settings.remember_file("/data/\xff");
  EXPECT_EQ(settings.recent_files.front(), "/figures/new") << "the file of settings is UTF-8";
}

// The export folder is remembered for each task, except where it is the folder of the run itself.
TEST(Settings, EachTaskHasItsFolderToSaveTo) {
  Settings settings;
  settings.remember_saved("/figures/decay/a.svg", "decay");
  settings.remember_saved("/figures/bump/a.svg", "bump-hunt", "/runs/mine");
  EXPECT_EQ(settings.chosen_save_folder("decay"), "/figures/decay");
  EXPECT_EQ(settings.chosen_save_folder("bump-hunt"), "/figures/bump");
  EXPECT_EQ(settings.chosen_save_folder("bump"), "");
  EXPECT_EQ(settings.chosen_save_folder(""), "");
  settings.remember_saved("/runs/mine/b.svg", "bump-hunt", "/runs/mine");
  EXPECT_EQ(settings.chosen_save_folder("bump-hunt"), "");
  EXPECT_EQ(settings.chosen_save_folder("decay"), "/figures/decay");
  EXPECT_EQ(settings.save_folder, "/runs/mine") << "of all tasks the last";
}

TEST(SettingsFile, SaysWhyItCannotSaveAndTriesAgain) {
  const TemporaryFolder folder;
  write_file(folder / "place", "in the way");
  SettingsFile file(folder / "place" / "settings.toml");
  Settings settings = file.load();
  settings.theme = "light";
  file.save(settings);
  EXPECT_THAT(file.problem(), HasSubstr("cannot be saved"));
  fs::remove(folder / "place");
  file.save(settings);
  EXPECT_EQ(file.problem(), "");
  EXPECT_EQ(SettingsFile(folder / "place" / "settings.toml").load().theme, "light");
}

TEST(SettingsFile, RefusesTextThatIsNotUtf8) {
  const TemporaryFolder folder;
  SettingsFile file(folder / "settings.toml");
  Settings settings = file.load();
  settings.run = "/runs/\xff";
  file.save(settings);
  EXPECT_THAT(file.problem(), HasSubstr("UTF-8"));
  EXPECT_FALSE(fs::exists(folder / "settings.toml"));
}

TEST(SettingsFile, FollowsALink) {
  const TemporaryFolder folder;
  write_file(folder / "real.toml", "theme = 'light'\n");
  fs::create_symlink(folder / "real.toml", folder / "settings.toml");
  SettingsFile file(folder / "settings.toml");
  Settings settings = file.load();
  settings.tab = "task";
  file.save(settings);
  EXPECT_TRUE(fs::is_symlink(folder / "settings.toml"));
  EXPECT_THAT(read_file(folder / "real.toml"), HasSubstr("task"));
}

TEST(XdgFolder, OnlyAbsolutePathsCount) {
  const Environment home("HOME", "/home/someone");
  {
    const Environment config("XDG_CONFIG_HOME", "/etc/mine");
    EXPECT_EQ(SettingsFile::settings_path(), "/etc/mine/pairs-studio/settings.toml");
  }
  for (const char* value : {"", "relative"}) {
    const Environment config("XDG_CONFIG_HOME", value);
    EXPECT_EQ(SettingsFile::settings_path(), "/home/someone/.config/pairs-studio/settings.toml");
  }
}

TEST(DefaultRunsFolder, DependsOnWhereAndHowThePersonWorks) {
  const TemporaryFolder folder;
  fs::create_directory(folder / "home");
  fs::create_directory(folder / "work");
  const Environment home("HOME", (folder / "home").string());
  const Environment data("XDG_DATA_HOME", (folder / "data").string());
  const fs::path shared = folder / "data/pairs-studio/runs";
  EXPECT_EQ(default_runs_folder(folder / "work", true), folder / "work/runs");
  EXPECT_EQ(default_runs_folder(folder / "work", false), shared);
  EXPECT_EQ(default_runs_folder(folder / "home", true), shared);
  EXPECT_EQ(default_runs_folder("/", true), shared);
  EXPECT_EQ(default_runs_folder(folder / "gone", true), shared);
}

}  // namespace
}  // namespace pairs::model
