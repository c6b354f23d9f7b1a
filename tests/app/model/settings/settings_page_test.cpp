#include "app/model/settings/settings_page.h"

#include <ATen/Parallel.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "app/model/studio.h"
#include "core/base/files/files.h"
#include "core/base/gpu/devices.h"
#include "core/base/threads/clock.h"
#include "core/base/threads/latest_worker.h"
#include "core/base/threads/threads.h"
#include "core/train/settings/config.h"
#include "tasks/registry.h"
#include "tests/app/model/environment.h"
#include "tests/app/model/small_run.h"
#include "tests/tasks/digits/tiny_mnist.h"

namespace pairs::model {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

const DataSetLine& line_of(const SettingsSurvey& survey, const std::string& name) {
  return *std::ranges::find_if(survey.data, [&](const DataSetLine& line) { return line.name == name; });
}

void write_text(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file) << text;
}

class SettingsPageTest : public ::testing::Test {
 protected:
  ~SettingsPageTest() override {
    set_background_threads(0);
    pairs::use_threads(0);
  }

  Settings settings() const {
    Settings s;
    s.runs_folder = path("runs");
    return s;
  }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  static bool until(Studio& studio, const std::function<bool()>& done, double seconds = 120) {
    const Stopwatch watch;
    while (!done()) {
      if (watch.seconds() > seconds) return false;
      studio.poll();
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return true;
  }

  TemporaryFolder folder_;
  Environment config_{"XDG_CONFIG_HOME", path("config")}, data_{"XDG_DATA_HOME", path("data")}, real_{"PAIRS_DATA", ""};
};

TEST_F(SettingsPageTest, TheSurveyTellsWhatIsThereAndWhatIsMissing) {
  const SettingsSurvey none = survey_settings(*built_in_tasks(), path("runs"), "");
  ASSERT_EQ(none.data.size(), 3u);
  for (const DataSetLine& line : none.data) {
    EXPECT_FALSE(line.usable || line.some) << line.name;
    EXPECT_THAT(line.state, StartsWith("Not found; sets are drawn from ")) << line.name;
    EXPECT_THAT(line.layout, ::testing::Not(IsEmpty())) << line.name;
  }
  EXPECT_EQ(none.runs_problem, "");
  EXPECT_FALSE(none.runs_folder_there);
  ASSERT_TRUE(none.free_bytes);
  EXPECT_GT(*none.free_bytes, 0u);

  write_tiny_mnist(folder_ / "all");
  write_text(folder_ / "all/few.smi", "CCO\nCCN\n");
  const SettingsSurvey some = survey_settings(*built_in_tasks(), path("all"), path("all"));
  EXPECT_TRUE(some.runs_folder_there);
  EXPECT_TRUE(line_of(some, "MNIST").usable);
  EXPECT_THAT(line_of(some, "MNIST").state, HasSubstr("120 training and 120 test images"));
  EXPECT_FALSE(line_of(some, "MNIST").countable) << "all is known";
  EXPECT_FALSE(line_of(some, "meshes").some);
  fs::remove(folder_ / "all/t10k-labels-idx1-ubyte");
  const DataSetLine part = line_of(survey_settings(*built_in_tasks(), path("all"), path("all")), "MNIST");
  EXPECT_TRUE(part.some && !part.usable);
  EXPECT_THAT(part.state, StartsWith("Cannot be used: "));
  EXPECT_EQ(std::ranges::count_if(part.files, [](const FoundData::File& file) { return file.at.empty(); }), 1);
}

TEST_F(SettingsPageTest, EveryDeviceCanBeChosenOrSaysWhyNot) {
  const std::vector<DeviceChoice> devices = survey_settings(*built_in_tasks(), path("runs"), "").devices;
  ASSERT_GE(devices.size(), 3u) << "auto, CPU, and a GPU or why there is none";
  EXPECT_EQ(devices[0].name, "auto");
  EXPECT_EQ(devices[1].name, "cpu");
  for (const DeviceChoice& device : devices) {
    std::string why;
    try {
      choose_device(device.name);
    } catch (const std::exception& error) {
      why = error.what();
    }
    EXPECT_EQ(device.blocked.empty(), why.empty()) << device.name << ": " << why;
    EXPECT_FALSE(device.title.empty());
  }
}

TEST_F(SettingsPageTest, FoldersThatCannotBeUsedSayWhy) {
  write_text(folder_ / "file", "x");
  fs::create_directories(folder_ / "empty");
  EXPECT_THAT(runs_folder_problem("runs"), HasSubstr("is not a whole path"));
  EXPECT_THAT(runs_folder_problem(folder_ / "file"), HasSubstr("is a file and no folder"));
  EXPECT_THAT(runs_folder_problem(folder_ / "file/below"), HasSubstr("is a file and no folder"));
  EXPECT_EQ(runs_folder_problem(folder_ / "new/folder"), "");
  EXPECT_EQ(runs_folder_problem(folder_ / "empty"), "");
  EXPECT_THAT(data_folder_problem(*built_in_tasks(), folder_ / "gone"), HasSubstr("check the path"));
  EXPECT_THAT(data_folder_problem(*built_in_tasks(), folder_ / "empty"),
              HasSubstr("holds neither MNIST, meshes nor molecules"));
  write_tiny_mnist(folder_ / "mnist");
  EXPECT_EQ(data_folder_problem(*built_in_tasks(), folder_ / "mnist"), "");
  EXPECT_EQ(data_folder_problem(*built_in_tasks(), ""), "");
}

TEST_F(SettingsPageTest, VariablesThatHaveASayAreTold) {
  EXPECT_THAT(overrides("", false, true).data, IsEmpty());
  const Environment data("PAIRS_DATA", "/mnist"), gpus("CUDA_VISIBLE_DEVICES", "1"), threads("OMP_NUM_THREADS", "3");
  EXPECT_THAT(overrides("/mnist", false, true).data, ElementsAre(HasSubstr("PAIRS_DATA names it")));
  EXPECT_THAT(overrides("", false, true).data, ElementsAre(HasSubstr("used again at the next start")));
  EXPECT_THAT(overrides("", true, true).data, ElementsAre(AllOf(HasSubstr("/mnist"), HasSubstr("goes before it"))));
  EXPECT_THAT(overrides("", true, true).device, ElementsAre(HasSubstr("CUDA_VISIBLE_DEVICES is 1")));
  EXPECT_THAT(overrides("", true, true).threads, ElementsAre(HasSubstr("OMP_NUM_THREADS is 3")));
  EXPECT_THAT(overrides("", true, true).file, ElementsAre(HasSubstr(path("config"))));
  EXPECT_THAT(overrides("", true, true).runs, IsEmpty());
}

TEST_F(SettingsPageTest, TheFolderOfRunsIsFollowedAtOnce) {
  fs::create_directories(folder_ / "other");
  const fs::path run = create_run(small_config("bump-hunt"), folder_ / "other" / "mine");
  Studio studio(built_in_tasks(), settings());
  ASSERT_TRUE(until(studio, [&] { return studio.library.listed(); }));
  EXPECT_EQ(studio.library.find(run.string()), nullptr);
  EXPECT_EQ(studio.library.folders.extent_of(studio.hub.runs_folder).runs, 0);
  studio.page.name_runs_folder(folder_ / "other");
  ASSERT_TRUE(until(studio, [&] { return studio.library.find(run.string()) != nullptr; }));
  EXPECT_EQ(studio.settings.runs_folder, path("other"));
  EXPECT_EQ(studio.hub.runs_folder, folder_ / "other");
  const RunFolders::Extent extent = studio.library.folders.extent_of(folder_ / "other");
  EXPECT_EQ(extent.runs, 1);
  EXPECT_EQ(extent.bytes, studio.library.find(run.string())->bytes);
  EXPECT_EQ(studio.library.folders.extent_of(folder_ / "oth").runs, 0) << "a folder, not the beginning of its name";
  EXPECT_EQ(studio.training.drafts.shown().folder().parent_path(), folder_ / "other") << "new runs go there";
  // An error is shown and changes nothing.
  write_text(folder_ / "file", "x");
  studio.page.name_runs_folder(folder_ / "file");
  ASSERT_TRUE(until(studio, [&] { return !studio.page.runs_problem().empty(); }));
  EXPECT_EQ(studio.hub.runs_folder, folder_ / "other");
  studio.page.name_runs_folder({});
  ASSERT_TRUE(until(studio, [&] { return studio.settings.runs_folder.empty(); }));
  EXPECT_EQ(studio.hub.runs_folder, default_runs_folder());
  EXPECT_EQ(studio.page.runs_problem(), "");
}

TEST_F(SettingsPageTest, AddedFoldersCanBeTakenOut) {
  const fs::path run = create_run(small_config("bump-hunt"), folder_ / "elsewhere" / "mine");
  Settings remembered = settings();
  remembered.run_folders = {path("elsewhere")};
  Studio studio(built_in_tasks(), remembered);
  ASSERT_TRUE(until(studio, [&] { return studio.library.find(run.string()) != nullptr; }));
  studio.library.folders.remove(folder_ / "elsewhere");
  EXPECT_THAT(studio.library.folders.added(), IsEmpty());
  ASSERT_TRUE(until(studio, [&] { return studio.library.find(run.string()) == nullptr; }));
  EXPECT_TRUE(fs::exists(run / run_file::config));
}

TEST_F(SettingsPageTest, TheFolderOfDataIsUsedWhateverTaskIsShown) {
  write_tiny_mnist(folder_ / "mnist");
  Studio studio(built_in_tasks(), settings());
  studio.page.open();
  ASSERT_TRUE(until(studio, [&] { return studio.page.survey() != nullptr; }));
  studio.page.name_data_folder(folder_ / "gone");
  ASSERT_TRUE(until(studio, [&] { return !studio.page.data_problem().empty(); }));
  EXPECT_EQ(studio.hub.data_folder, "");
  studio.page.name_data_folder(folder_ / "mnist");
  ASSERT_TRUE(until(studio, [&] { return studio.hub.data_folder == folder_ / "mnist"; }));
  EXPECT_EQ(studio.settings.data_folder, path("mnist"));
  EXPECT_EQ(studio.page.data_problem(), "");
  ASSERT_TRUE(until(studio, [&] { return studio.page.survey()->data_folder == folder_ / "mnist"; }));
  EXPECT_TRUE(line_of(*studio.page.survey(), "MNIST").usable);
  studio.page.name_data_folder({});
  ASSERT_TRUE(until(studio, [&] { return studio.hub.data_folder.empty(); }));
}

TEST_F(SettingsPageTest, MembersAreCountedAndWhatIsSetAsideIsTold) {
  write_text(folder_ / "some.smi", "CCO\nnot a molecule\nCCN\n");
  Settings remembered = settings();
  remembered.data_folder = path("some.smi");
  Studio studio(built_in_tasks(), remembered);
  studio.page.open();
  ASSERT_TRUE(until(studio, [&] { return studio.page.survey() != nullptr; }));
  if (!line_of(*studio.page.survey(), "molecules").countable) GTEST_SKIP() << "built without molecules";
  studio.page.count("molecules");
  EXPECT_EQ(studio.page.counting(), "molecules");
  ASSERT_TRUE(until(
      studio, [&] { return studio.page.counting().empty(); }, 60));
  EXPECT_EQ(studio.page.count_problem("molecules"), "");
  const auto account = studio.page.account("molecules");
  ASSERT_NE(account, nullptr);
  EXPECT_GE(account->set_aside.size(), 1u);
  // Selecting another data folder discards the counts.
  studio.page.name_data_folder({});
  ASSERT_TRUE(until(studio, [&] { return studio.hub.data_folder.empty(); }));
  studio.poll();
  EXPECT_EQ(studio.page.account("molecules"), nullptr);
}

TEST_F(SettingsPageTest, TheDeviceIsThatOfPosteriorsAndNewRuns) {
  Studio studio(built_in_tasks(), settings());
  const auto wanted = [&] { return studio.training.drafts.shown().config().device; };
  ASSERT_TRUE(until(studio, [&] { return !studio.training.task().empty(); }));
  EXPECT_EQ(wanted(), "auto");
  EXPECT_EQ(studio.use_device("cpu"), "");
  studio.poll();
  EXPECT_EQ(studio.hub.device, "cpu");
  EXPECT_EQ(studio.settings.device, "cpu");
  EXPECT_EQ(studio.device_name(), "CPU");
  EXPECT_EQ(wanted(), "cpu");
  EXPECT_THAT(studio.training.batch_command(), HasSubstr(" --device cpu"));
  EXPECT_EQ(studio.training.drafts.shown().changes(), 0) << "nothing was changed on this draft";
  EXPECT_THAT(studio.evaluation.batch_command(), HasSubstr(" --device cpu"));
  // A draft's own goes before it.
  studio.training.drafts.shown().set("device", "auto");
  EXPECT_EQ(wanted(), "auto");
  EXPECT_THAT(studio.use_device("gpu"), HasSubstr("choose auto, cpu, cuda"));
  EXPECT_EQ(studio.settings.device, "cpu");
  if (why_no_gpu().empty()) return;
  EXPECT_FALSE(studio.use_device("cuda").empty());
  EXPECT_EQ(studio.hub.device, "cpu");
}

TEST_F(SettingsPageTest, ADeviceThatIsNotHereIsToldAndKept) {
  if (why_no_gpu().empty()) GTEST_SKIP() << "there is a GPU";
  Settings remembered = settings();
  remembered.device = "cuda";
  const Studio studio(built_in_tasks(), remembered);
  EXPECT_EQ(studio.hub.device, "auto");
  EXPECT_EQ(studio.settings.device, "cuda") << "where the driver works again, it is used again";
  std::string reported;
  for (const Message& message : studio.hub.messages.all()) reported += message.text + "\n";
  EXPECT_THAT(reported,
              AllOf(HasSubstr("cuda of the settings cannot be used"), HasSubstr("Device on the Settings page")));
}

TEST_F(SettingsPageTest, ThreadsAreThoseOfTheBackgroundAndOfNewRuns) {
  Studio studio(built_in_tasks(), settings());
  EXPECT_EQ(studio.use_threads("1"), "");
  studio.poll();
  EXPECT_EQ(studio.threads(), 1);
  EXPECT_EQ(studio.hub.threads, 1);
  EXPECT_EQ(studio.settings.threads, 1);
  EXPECT_EQ(studio.training.drafts.shown().config().threads, 1);
  EXPECT_THAT(studio.training.batch_command(), HasSubstr(" --threads 1"));
  std::atomic<int> there = 0;
  LatestWorker worker([](const std::string&) {});
  worker.request([&](const LatestWorker::Stale&) { there = at::get_num_threads(); });
  ASSERT_TRUE(worker.wait(30));
  EXPECT_EQ(there, 1);
  EXPECT_EQ(studio.use_threads("0"), "");
  worker.request([&](const LatestWorker::Stale&) { there = at::get_num_threads(); });
  ASSERT_TRUE(worker.wait(30));
  EXPECT_EQ(there, usable_cores()) << "the same thread follows";
  EXPECT_EQ(studio.threads(), usable_cores());
  for (const char* wrong : {"", "x", "-1", "1.5", "4097", "1 "})
    EXPECT_THAT(studio.use_threads(wrong), HasSubstr("is no number of threads; give 1 to ")) << wrong;
  EXPECT_EQ(studio.settings.threads, 0);
}

TEST_F(SettingsPageTest, WhatIsSetComesBackFromTheFile) {
  write_tiny_mnist(folder_ / "mnist");
  SettingsFile file;
  {
    Settings first = file.load();
    first.runs_folder = path("runs");
    Studio studio(built_in_tasks(), first);
    studio.page.name_data_folder(folder_ / "mnist");
    ASSERT_TRUE(until(studio, [&] { return studio.hub.data_folder == folder_ / "mnist"; }));
    EXPECT_EQ(studio.use_device("cpu"), "");
    EXPECT_EQ(studio.use_threads("1"), "");
    studio.settings.theme = "light";
    studio.settings.scale = 1.25;
    file.save(studio.settings);
    ASSERT_EQ(file.problem(), "");
  }
  const std::string text = read_file(SettingsFile::settings_path());
  for (const char* line : {"device = 'cpu'", "threads = 1", "theme = 'light'", "scale = 1.25"})
    EXPECT_THAT(text, HasSubstr(line));
  Studio again(built_in_tasks(), SettingsFile().load());
  EXPECT_EQ(again.hub.device, "cpu");
  EXPECT_EQ(again.hub.threads, 1);
  EXPECT_EQ(again.threads(), 1);
  EXPECT_EQ(again.hub.data_folder, folder_ / "mnist");
  EXPECT_EQ(again.hub.runs_folder, folder_ / "runs");
}

TEST_F(SettingsPageTest, OpensAtASectionOnceAndEndsWithTheNextChoice) {
  Studio studio(built_in_tasks(), settings());
  EXPECT_FALSE(studio.page.shown());
  studio.page.open(SettingsSection::data);
  EXPECT_TRUE(studio.page.shown());
  EXPECT_EQ(studio.page.take_section(), SettingsSection::data);
  EXPECT_EQ(studio.page.take_section(), SettingsSection::none);
  studio.set_tab(Tab::train);
  EXPECT_FALSE(studio.page.shown());
  studio.page.open();
  studio.open_task("gaussian");
  EXPECT_FALSE(studio.page.shown());
}

}  // namespace
}  // namespace pairs::model
