#include "app/model/library/library.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <functional>
#include <set>
#include <thread>

#include "app/model/library/run_scan.h"
#include "app/model/library/trash.h"
#include "core/base/files/files.h"
#include "core/base/system/crash_report.h"
#include "core/base/text/error.h"
#include "core/report/shades.h"
#include "core/train/cache/left_aggregates.h"
#include "core/train/run/run.h"
#include "core/train/settings/config.h"
#include "tasks/registry.h"
#include "tests/app/batch/program.h"
#include "tests/app/model/environment.h"
#include "tests/app/model/small_run.h"
#include "tests/core/base/temporary_folder.h"

namespace pairs::model {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kHalfWay =
    R"({"type":"stage-started","stage":"pretrain","epochs":20,"epoch":0,"step":0,"seconds":0}
{"type":"loss","stage":"pretrain","epoch":10,"step":11,"seconds":1,"train":1,"validation":1}
{"type":"loss","stage":"pretrain","epoch":11,"step":12,"seconds":1,"train":1,"validation":1}
{"type":"loss","stage":"pret)";

void put(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  write_file(file, text);
}

// A run folder without weights; `age` hours ago.
fs::path put_run(const fs::path& folder, const std::string& task = "bump-hunt", int age = 0) {
  RunConfig config;
  config.tasks = built_in_tasks();
  config.task = task;
  config.strategy = "n1";
  config.preset = "small";
  config.seed = 7;
  put(folder / run_file::config, write_run_toml(config, "cpu"));
  fs::last_write_time(folder / run_file::config, fs::file_time_type::clock::now() - std::chrono::hours(age));
  return folder;
}

class LibraryTest : public testing::Test {
 protected:
  LibraryTest() : data_("XDG_DATA_HOME", (folder_ / "data").string()), runs_(folder_ / "runs") {
    fs::create_directory(runs_);
    hub_.runs_folder = runs_;
  }
  ~LibraryTest() override { library_.reset(); }

  Library& library() {
    if (!library_) library_ = std::make_unique<Library>(hub_);
    return *library_;
  }
  // Frames until `done`, for a minute at most.
  bool frames(const std::function<bool()>& done) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    do {
      library().poll();
      if (done()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    } while (std::chrono::steady_clock::now() < end);
    return false;
  }
  // A look of its own at what is on disk now.
  void look() {
    library().poll();
    library().refresh();
    ASSERT_TRUE(frames([&] { return !library().busy(); }));
    library().poll();
  }
  const RunEntry& entry(const std::string& name) {
    const RunEntry* found = library().find((runs_ / name).string());
    if (!found) ADD_FAILURE() << name << " is not listed";
    static const RunEntry none;
    return found ? *found : none;
  }
  // The user's own, in order.
  std::vector<std::string> names() {
    std::vector<std::string> all;
    for (const RunEntry& run : library().runs())
      if (!run.shipped) all.push_back(run.name);
    return all;
  }

  TemporaryFolder folder_;
  Environment data_;
  fs::path runs_;
  Hub hub_{built_in_tasks()};
  std::unique_ptr<Library> library_;
};

TEST_F(LibraryTest, TellsOnceOfARunWhoseProgramDied) {
  put_run(runs_ / "half");
  put(runs_ / "half" / run_file::events, kHalfWay);
  put(runs_ / "half" / kCrashFile, "Died of SIGSEGV\npairs 0\n");
  look();
  look();
  EXPECT_NE(entry("half").crash.find("died of SIGSEGV"), std::string::npos);
  const auto& reported = hub_.messages.all();
  ASSERT_EQ(
      std::count_if(reported.begin(), reported.end(),
                    [](const Message& one) { return one.text.starts_with("half: the last session died of SIGSEGV"); }),
      1);
}

TEST_F(LibraryTest, TellsWhatARunIsAndHowFar) {
  put_run(runs_ / "new");
  put_run(runs_ / "half");
  put(runs_ / "half" / run_file::events, kHalfWay);
  put_run(runs_ / "first");
  put(runs_ / "first" / run_file::pretrained, std::string(1000, 'x'));
  put_run(runs_ / "done");
  put(runs_ / "done" / run_file::estimator, "x");
  look();
  EXPECT_EQ(entry("new").state(), "not started");
  EXPECT_EQ(entry("new").task, "bump-hunt");
  EXPECT_EQ(entry("new").strategy, "n1");
  EXPECT_EQ(base_role(entry("new").role), SeriesRole::n1);
  EXPECT_NE(entry("new").role, entry("half").role) << "runs of one strategy have shades of their own";
  EXPECT_EQ(entry("new").preset, "small");
  EXPECT_EQ(entry("new").seed, 7);
  EXPECT_EQ(entry("half").state(), "stopped · pretrain 60 %");
  EXPECT_EQ(entry("half").stage, 1);
  EXPECT_DOUBLE_EQ(entry("half").share, 0.6);
  EXPECT_EQ(entry("first").state(), "pretrained");
  EXPECT_EQ(entry("first").bytes, 1000 + fs::file_size(runs_ / "first" / run_file::config));
  EXPECT_EQ(entry("done").state(), "finished");
  EXPECT_TRUE(entry("done").finished);
}

// Nothing but stage 3 needs the aggregates: without them a run opens, and one that is not finished makes the same
// again.
TEST_F(LibraryTest, AggregatesAreDroppedOnRequestAlone) {
  const std::string whole = small_run(runs_, "whole", "bump-hunt");
  const fs::path cut = create_run(small_config("bump-hunt"), runs_ / "cut");
  QuietMonitor quiet;
  execute_run(built_in_tasks(), cut, quiet, Stage::cache);
  put_run(runs_ / "none");
  look();
  const std::uint64_t bytes = entry("whole").aggregates;
  EXPECT_EQ(bytes, fs::file_size(fs::path(whole) / run_file::cache));
  EXPECT_EQ(library().blocked(entry("none"), RunAction::drop_aggregates), "The run keeps none");
  EXPECT_EQ(library().blocked(entry("whole"), RunAction::drop_aggregates), "");
  EXPECT_THAT(without_aggregates(whole), HasSubstr("nothing to resume"));
  EXPECT_THAT(without_aggregates(cut), HasSubstr("makes them again, the same"));
  for (const char* name : {"whole", "cut"}) library().drop_aggregates((runs_ / name).string());
  ASSERT_TRUE(frames([&] { return entry("whole").aggregates == 0 && entry("cut").aggregates == 0; }));
  EXPECT_FALSE(fs::exists(cut / run_file::cache));
  EXPECT_EQ(entry("whole").state(), "finished");
  EXPECT_EQ(load_run(built_in_tasks(), whole, "", "cpu").estimator->max_n(), 10);
  execute_run(built_in_tasks(), cut, quiet);
  EXPECT_EQ(read_file(cut / run_file::estimator), read_file(fs::path(whole) / run_file::estimator));
  EXPECT_GT(aggregates_bytes(cut), 0u);
  {
    const FolderLock held(cut);
    EXPECT_THROW(drop_aggregates(cut), Error) << "somebody trains it";
  }
  EXPECT_GT(aggregates_bytes(cut), 0u);
  const batch::Answer none = batch::run_words({"run", "--resume", (runs_ / "nowhere").string(), "--drop-aggregates"});
  EXPECT_NE(none.code, 0);
  EXPECT_EQ(batch::run_words({"run", "--drop-aggregates"}).code, 2);
  const batch::Answer dropped = batch::run_words({"run", "--resume", cut.string(), "--drop-aggregates"});
  EXPECT_EQ(dropped.code, 0) << dropped.err;
  EXPECT_THAT(dropped.out, HasSubstr("of aggregates are removed. The run is finished"));
  EXPECT_EQ(aggregates_bytes(cut), 0u);
  EXPECT_TRUE(fs::exists(cut / run_file::estimator));
}

TEST_F(LibraryTest, DamagedRunsHaveASentenceAndHarmNothing) {
  put(runs_ / "torn" / run_file::config, "task = \"bump");
  put(runs_ / "unknown" / run_file::config, "task = \"bump-hunt\"\nsurprise = 1\n");
  put(runs_ / "empty" / run_file::config, "");
  put(runs_ / "later" / run_file::config, "[task]\nname = \"telepathy\"\n");
  put(runs_ / "lost" / run_file::events, kHalfWay);
  put_run(runs_ / "log");
  put(runs_ / "log" / run_file::events, "{\"stage\":1,\"type\":[],\"epoch\":\"x\"}\n[]\n\xff\xfe\n");
  put(runs_ / "log" / run_file::cache, "x");
  put_run(runs_ / "about");
  put(runs_ / "about" / "about.toml", "name = [");
  fs::create_directories(runs_ / "folder" / run_file::config);
  put(runs_ / "folder" / run_file::events, "");
  put(runs_ / "notes.txt", "no run");
  fs::create_directory(runs_ / "nothing");
  put_run(runs_ / ".hidden");
  put_run(runs_ / "good");
  put_run(runs_ / "pipe");
  ASSERT_EQ(::mkfifo((runs_ / "pipe" / run_file::estimator).c_str(), 0600), 0);  // nobody writes to it
  fs::create_directory_symlink(runs_, runs_ / "loop");
  look();
  for (const char* name : {"torn", "unknown", "empty", "later", "lost", "folder"}) {
    EXPECT_EQ(entry(name).state(), "unreadable") << name;
    EXPECT_THAT(entry(name).problem, HasSubstr(name)) << name;
    EXPECT_NE(library().blocked(entry(name), RunAction::open), "");
    EXPECT_EQ(library().blocked(entry(name), RunAction::remove), "");
  }
  EXPECT_THAT(entry("unknown").problem, HasSubstr("surprise"));
  EXPECT_THAT(entry("later").problem, HasSubstr("telepathy"));
  EXPECT_EQ(entry("good").problem, "");
  EXPECT_EQ(entry("about").name, "about");
  EXPECT_EQ(entry("about").problem, "");
  EXPECT_EQ(names().size(), 10u);  // each once, although the link leads to them as well
  for (const char* name : {"nothing", ".hidden"}) EXPECT_EQ(library().find((runs_ / name).string()), nullptr) << name;
}

TEST_F(LibraryTest, NewestFirstAndOneFolderDeeper) {
  put_run(runs_ / "old", "bump-hunt", 5);
  put_run(runs_ / "study" / "a", "gaussian", 1);
  put_run(runs_ / "study" / "b", "gaussian", 3);
  look();
  EXPECT_THAT(names(), ElementsAre("a", "b", "old"));
  // What is shipped stands last and is not ours to change.
  std::set<std::string> shipped;
  for (const RunEntry& run : library().runs())
    if (run.shipped) shipped.insert(run.run);
  EXPECT_TRUE(shipped.contains("bump-hunt"));
  const auto more = std::find_if(library().runs().begin(), library().runs().end(),
                                 [](const RunEntry& run) { return run.folder.filename() == "novel-view-n1-10"; });
  ASSERT_NE(more, library().runs().end());
  EXPECT_TRUE(more->shipped);
  EXPECT_EQ(more->name, "Shipped, n1-10");
  EXPECT_EQ(more->run, more->folder.string());
  EXPECT_EQ(more->strategy, "n1-10");
  EXPECT_EQ(Library::batch_command(*more), "pairs --batch evaluate novel-view-n1-10");
  EXPECT_TRUE(library().runs().back().shipped);
  const RunEntry& weights = *library().find("bump-hunt");
  EXPECT_TRUE(weights.finished);
  EXPECT_EQ(library().blocked(weights, RunAction::open), "");
  EXPECT_NE(library().blocked(weights, RunAction::rename), "");
  EXPECT_NE(library().blocked(weights, RunAction::remove), "");
}

TEST_F(LibraryTest, FollowsTheDiskByItself) {
  put_run(runs_ / "a");
  look();
  put_run(runs_ / "b");
  put(runs_ / "a" / run_file::events, kHalfWay);
  EXPECT_TRUE(frames([&] { return library().find((runs_ / "b").string()) && entry("a").stage == 1; }));
  // Another folder of runs is listed in its place.
  put_run(folder_ / "other" / "c");
  hub_.runs_folder = folder_ / "other";
  EXPECT_TRUE(frames([&] { return names() == std::vector<std::string>{"c"}; }));
}

TEST_F(LibraryTest, SeesThatAProcessTrainsARun) {
  put_run(runs_ / "a");
  auto lock = std::make_unique<FolderLock>(runs_ / "a");
  look();
  EXPECT_TRUE(entry("a").training);
  EXPECT_EQ(entry("a").state(), "training");
  EXPECT_NE(library().blocked(entry("a"), RunAction::remove), "");
  EXPECT_NE(library().blocked(entry("a"), RunAction::resume), "");
  EXPECT_EQ(library().blocked(entry("a"), RunAction::rename), "");
  lock.reset();
  look();
  EXPECT_FALSE(entry("a").training);
  EXPECT_EQ(library().blocked(entry("a"), RunAction::resume), "");
}

TEST_F(LibraryTest, NamesAndNotesLeaveRunTomlAlone) {
  put_run(runs_ / "a");
  const std::string before = read_file(runs_ / "a" / run_file::config);
  look();
  const std::string id = (runs_ / "a").string();
  library().rename(id, "  my \"best\"\nrun θ ");
  library().annotate(id, "first line\nsecond");
  ASSERT_TRUE(frames([&] { return !entry("a").note.empty(); }));
  EXPECT_EQ(entry("a").name, "my \"best\" run θ");
  EXPECT_EQ(entry("a").note, "first line\nsecond");
  EXPECT_EQ(read_file(runs_ / "a" / run_file::config), before);
  // They are kept, and an empty name gives the folder's back.
  library_.reset();
  look();
  EXPECT_EQ(entry("a").name, "my \"best\" run θ");
  library().rename(id, " ");
  ASSERT_TRUE(frames([&] { return entry("a").name == "a"; }));
  EXPECT_EQ(entry("a").note, "first line\nsecond");
  // Cut between characters, not within one.
  library().annotate(id, [] {
    std::string text = "x";
    for (int i = 0; i < 2000; ++i) text += "θ";
    return text;
  }());
  ASSERT_TRUE(frames([&] { return entry("a").note.size() > 1000; }));
  EXPECT_EQ(entry("a").note.size(), 1999u);
}

TEST_F(LibraryTest, AFailedActionIsTold) {
  put_run(runs_ / "a");
  look();
  fs::create_directory(runs_ / "a" / "about.toml");
  library().rename((runs_ / "a").string(), "b");
  ASSERT_TRUE(frames([&] { return !library().problem().empty(); }));
  EXPECT_THAT(library().problem(), HasSubstr("about.toml"));
  EXPECT_EQ(hub_.messages.all().back().level, Level::error);
  library().dismiss_problem();
  EXPECT_EQ(library().problem(), "");
}

TEST_F(LibraryTest, RemovesToTheTrash) {
  put_run(runs_ / "a θ");
  put_run(runs_ / "sub" / "a θ");
  look();
  library().remove((runs_ / "a θ").string());
  ASSERT_TRUE(frames([&] { return names().size() == 1; }));
  library().remove((runs_ / "sub" / "a θ").string());
  ASSERT_TRUE(frames([&] { return names().empty(); }));
  EXPECT_FALSE(fs::exists(runs_ / "a θ"));
  const fs::path trash = folder_ / "data/Trash";
  EXPECT_TRUE(fs::exists(trash / "files/a θ/run.toml"));
  EXPECT_TRUE(fs::exists(trash / "files/a θ.2/run.toml"));
  const std::string record = read_file(trash / "info/a θ.trashinfo");
  EXPECT_TRUE(record.starts_with("[Trash Info]\nPath=" + runs_.string() + "/a%20%CE%B8\nDeletionDate=2")) << record;
  EXPECT_TRUE(fs::exists(trash / "info/a θ.2.trashinfo"));
  EXPECT_EQ(library().problem(), "");
}

TEST_F(LibraryTest, RemovesManyAndPutsThemBack) {
  for (const char* name : {"a", "b", "c"}) put_run(runs_ / name);
  look();
  EXPECT_EQ(library().undoable(), "");
  const FolderLock lock(runs_ / "c");
  look();
  library().remove({(runs_ / "a").string(), (runs_ / "b").string(), (runs_ / "c").string()});
  EXPECT_THAT(library().problem(), testing::AllOf(HasSubstr("c: "), HasSubstr("stop it first")));
  EXPECT_EQ(library().undoable(), "2 runs moved to the trash");
  ASSERT_TRUE(frames([&] { return names() == std::vector<std::string>{"c"}; }));
  library().dismiss_problem();
  put_run(runs_ / "b");  // another one has its place by now
  library().undo();
  EXPECT_EQ(library().undoable(), "");
  ASSERT_TRUE(frames([&] { return names().size() == 3 && !library().problem().empty(); }));
  EXPECT_THAT(library().problem(), HasSubstr("still in the trash as"));
  EXPECT_TRUE(fs::exists(runs_ / "a/run.toml"));
  EXPECT_FALSE(fs::exists(folder_ / "data/Trash/info/a.trashinfo"));
  EXPECT_TRUE(fs::exists(folder_ / "data/Trash/files/b/run.toml"));
}

TEST_F(LibraryTest, TagsAndArchives) {
  for (const char* name : {"a", "b"}) put_run(runs_ / name);
  look();
  const std::vector<std::string> both = {(runs_ / "a").string(), (runs_ / "b").string()};
  library().annotate(both[0], "kept");
  library().tag(both, {"paper"}, {});
  ASSERT_TRUE(frames([&] { return !entry("a").tags.empty() && !entry("b").tags.empty(); }));
  EXPECT_THAT(entry("a").tags, ElementsAre("paper"));
  EXPECT_EQ(entry("a").note, "kept");
  library().archive({both[1]}, true);
  ASSERT_TRUE(frames([&] { return entry("b").archived; }));
  EXPECT_THAT(entry("b").tags, ElementsAre("paper"));
  library().archive(both, true);
  EXPECT_EQ(library().undoable(), "1 run archived") << "the other one was before";
  ASSERT_TRUE(frames([&] { return entry("a").archived; }));
  library().undo();
  ASSERT_TRUE(frames([&] { return !entry("a").archived; }));
  EXPECT_TRUE(entry("b").archived);
  library().tag(both, {"two words"}, {});
  ASSERT_TRUE(frames([&] { return !library().problem().empty(); }));
  EXPECT_THAT(library().problem(), HasSubstr("a tag is one word"));
}

TEST_F(LibraryTest, RefusesToRemoveARunThatWasJustTakenUp) {
  put_run(runs_ / "a");
  look();
  const FolderLock lock(runs_ / "a");
  library().remove((runs_ / "a").string());
  ASSERT_TRUE(frames([&] { return !library().problem().empty(); }));
  EXPECT_THAT(library().problem(), HasSubstr("in use"));
  EXPECT_TRUE(fs::exists(runs_ / "a/run.toml"));
  EXPECT_FALSE(fs::exists(folder_ / "data/Trash/files/a"));
}

TEST_F(LibraryTest, TheOpenRunStaysInTheListWhenItsFolderVanishes) {
  put_run(runs_ / "open");
  put_run(runs_ / "other");
  look();
  library().watch((runs_ / "open").string());
  fs::remove_all(runs_ / "open");
  fs::remove_all(runs_ / "other");
  look();
  EXPECT_THAT(names(), ElementsAre("open"));
  EXPECT_TRUE(entry("open").deleted);
  EXPECT_EQ(entry("open").state(), "deleted");
  EXPECT_NE(library().blocked(entry("open"), RunAction::reveal), "");
  put_run(runs_ / "third");  // the next listing keeps it as well
  look();
  EXPECT_TRUE(entry("open").deleted);
  library().watch((runs_ / "third").string());
  EXPECT_THAT(names(), ElementsAre("third"));
}

TEST_F(LibraryTest, OpensFoldersFromElsewhere) {
  put_run(folder_ / "x/one");
  put_run(folder_ / "y/two");
  put_run(folder_ / "y/three");
  put(folder_ / "file", "x");
  fs::create_directory(folder_ / "empty");
  EXPECT_EQ(library().folders.add(folder_ / "x/one/"), "");
  look();
  EXPECT_EQ(library().folders.add(folder_ / "y"), "");
  EXPECT_EQ(library().folders.add(folder_ / "y/two"), "");
  ASSERT_TRUE(frames([&] { return names().size() == 3; }));
  EXPECT_NE(library().find((folder_ / "x/one").string()), nullptr);
  // Shipped weights stay what they are when their folder is named.
  EXPECT_EQ(library().folders.add(assets_folder() / "weights/bump-hunt"), "");
  look();
  EXPECT_EQ(names().size(), 3u);
  EXPECT_NE(library().find("bump-hunt"), nullptr);
  EXPECT_THAT(library().folders.add(folder_ / "gone"), HasSubstr("no folder"));
  EXPECT_THAT(library().folders.add(folder_ / "file"), HasSubstr("is a file"));
  EXPECT_THAT(library().folders.add(folder_ / "empty"), HasSubstr("holds no run"));
  EXPECT_NE(library().folders.add(""), "");
  EXPECT_EQ(library().folders.added().size(), 4u);
}

TEST_F(LibraryTest, RevealsWithTheDesktopsProgram) {
  put_run(runs_ / "a b");
  look();
  const fs::path seen = folder_ / "seen";
  put(folder_ / "bin/xdg-open", "#!/bin/sh\nprintf %s \"$1\" > '" + seen.string() + ".part' && mv '" + seen.string() +
                                    ".part' '" + seen.string() + "'\n");
  fs::permissions(folder_ / "bin/xdg-open", fs::perms::owner_all);
  {
    const Environment path("PATH", (folder_ / "bin").string() + ":/usr/bin:/bin");
    library().reveal((runs_ / "a b").string());
    ASSERT_TRUE(frames([&] { return fs::exists(seen); }));
    EXPECT_EQ(read_file(seen), (runs_ / "a b").string());
    EXPECT_EQ(library().problem(), "");
  }
  const Environment path("PATH", (folder_ / "nowhere").string());
  library().reveal((runs_ / "a b").string());
  ASSERT_TRUE(frames([&] { return !library().problem().empty(); }));
  EXPECT_THAT(library().problem(), HasSubstr("xdg-open"));
}

TEST_F(LibraryTest, BadgesTellTheBestOfATasksRuns) {
  const Environment assets("PAIRS_ASSETS", folder_.path().string());  // nothing is shipped
  put_run(runs_ / "a", "gaussian");
  put(runs_ / "a" / run_file::pretrained, "x");
  put_run(runs_ / "b", "bump-hunt");
  look();
  EXPECT_EQ(library().task("gaussian")->badge, Badge::pretrained);
  EXPECT_EQ(library().task("bump-hunt")->badge, Badge::untrained);
  put(runs_ / "b" / run_file::estimator, "x");
  look();
  EXPECT_EQ(library().task("bump-hunt")->badge, Badge::ready);
  EXPECT_EQ(library().task("digits")->badge, Badge::untrained);
}

TEST_F(LibraryTest, DrawsAPictureOfEveryTask) {
  for (const TaskEntry& task : library().tasks()) EXPECT_EQ(task.thumbnail, nullptr);
  ASSERT_TRUE(frames([&] { return !library().busy(); }));
  library().poll();
  std::set<std::uint64_t> versions;
  EXPECT_EQ(library().tasks().size(), built_in_tasks()->names().size());
  for (const TaskEntry& task : library().tasks()) {
    EXPECT_FALSE(task.title.empty());
    ASSERT_NE(task.thumbnail, nullptr) << task.name;
    EXPECT_EQ(task.thumbnail->rgba.size(), 4u * task.thumbnail->width * task.thumbnail->height);
    std::set<std::uint8_t> shades;  // a mask draws with its alpha
    for (std::size_t i = 0; i < task.thumbnail->rgba.size(); i += 4)
      shades.insert(task.thumbnail->rgba[i + (task.thumbnail->mask ? 3 : 0)]);
    EXPECT_GT(shades.size(), 3u) << task.name;
    versions.insert(task.thumbnail_version);
    EXPECT_EQ(draw_thumbnail(*hub_.tasks->make(task.name)).rgba, task.thumbnail->rgba) << task.name;
  }
  EXPECT_EQ(versions.size(), library().tasks().size());
}

TEST(Thumbnail, ASmallerPictureIsTheMeanOfTheLarge) {
  Thumbnail picture{4, 2, false, std::vector<std::uint8_t>(32, 0)};
  const auto set = [&](int x, int y, std::uint8_t gray, std::uint8_t alpha) {
    for (int c = 0; c < 3; ++c) picture.rgba[static_cast<std::size_t>(4 * (4 * y + x) + c)] = gray;
    picture.rgba[static_cast<std::size_t>(4 * (4 * y + x) + 3)] = alpha;
  };
  for (int y = 0; y < 2; ++y) set(0, y, 100, 255), set(1, y, 200, 255);
  set(2, 0, 80, 200);
  const Thumbnail small = resized(picture, 2, 1);
  EXPECT_EQ(small.rgba[0], 150);
  EXPECT_EQ(small.rgba[3], 255);
  EXPECT_EQ(small.rgba[4], 80);  // what is transparent has no color
  EXPECT_EQ(small.rgba[7], 50);
  EXPECT_EQ(resized(picture, 4, 2).rgba, picture.rgba);
}

TEST(MoveToTrash, RefusesWhatIsGone) {
  const TemporaryFolder folder;
  const Environment data("XDG_DATA_HOME", (folder / "data").string());
  EXPECT_THROW(move_to_trash(folder / "gone"), Error);
  // What cannot be moved leaves no record behind.
  fs::create_directories(folder / "data/Trash/files/inner");
  EXPECT_THROW(move_to_trash(folder / "data"), Error);
  EXPECT_TRUE(fs::is_empty(folder / "data/Trash/info"));
}

TEST(RunEntry, TheBatchCommandSuitsTheShell) {
  RunEntry run;
  run.folder = "/runs/it's mine";
  run.task = "digits";
  EXPECT_EQ(Library::batch_command(run), "pairs --batch run --resume '/runs/it'\\''s mine'");
  run.finished = true;
  EXPECT_EQ(Library::batch_command(run), "pairs --batch evaluate '/runs/it'\\''s mine'");
  run.shipped = true;
  run.run = "digits";
  EXPECT_EQ(Library::batch_command(run), "pairs --batch evaluate digits");
  run.run = run.folder = "/share/weights/digits-mnist";
  EXPECT_EQ(Library::batch_command(run), "pairs --batch evaluate digits-mnist");
}

TEST(RunEntry, OneHeadForEachSizeCountsAsAShareOfItsStage) {
  const TemporaryFolder folder;
  RunConfig config;
  config.tasks = built_in_tasks();
  config.task = "gaussian";
  config.cache.sizes = {1, 10, 100, 1000};
  config.cache.pieces = 5;
  config.finetune.heads = "per-n";
  config.finetune.size_distribution = "list";
  put(folder / "runs/a/run.toml", write_run_toml(config, "cpu"));
  put(folder / "runs/a/events.jsonl",
      R"({"type":"stage-started","stage":"finetune","epochs":10,"epoch":0,"n":10}
{"type":"loss","stage":"finetune","epoch":4,"n":10}
)");
  RunScan scan(built_in_tasks());
  const auto listing = scan.look({folder / "runs", {}, ""});
  EXPECT_EQ(listing.runs.front().stage, 3);
  EXPECT_DOUBLE_EQ(listing.runs.front().share, (1 + 0.5) / 4);
}

class RunScanTest : public testing::Test {
 protected:
  RunScan::Places places() const { return {folder_ / "runs", {}, ""}; }
  // Names of runs that did not come with the program, in order.
  static std::vector<std::string> names(const RunScan::Listing& listing) {
    std::vector<std::string> all;
    for (const RunEntry& run : listing.runs)
      if (!run.shipped) all.push_back(run.name);
    return all;
  }
  TemporaryFolder folder_;
  std::vector<RunScan::Listing> reported_;
  RunScan scan_{built_in_tasks(), {}, [this](const RunScan::Listing& listing) { reported_.push_back(listing); }};
};

TEST_F(RunScanTest, AGlanceTellsOfNewRunsByTheirSettings) {
  put_run(folder_ / "runs/old", "gaussian", 2);
  EXPECT_THAT(names(scan_.look(places())), ElementsAre("old"));
  reported_.clear();  // of a look that takes long
  scan_.glance(places());
  EXPECT_TRUE(reported_.empty()) << "nothing is new";
  put(folder_ / "runs/new/events.jsonl", kHalfWay);
  put_run(folder_ / "runs/other");
  scan_.glance(places());
  ASSERT_EQ(reported_.size(), 1u);
  EXPECT_THAT(names(reported_.front()), ElementsAre("other", "old")) << "new has no run.toml yet";
  EXPECT_TRUE(scan_.behind());
  put_run(folder_ / "runs/new");
  scan_.glance(places());
  ASSERT_EQ(reported_.size(), 2u);
  EXPECT_THAT(names(reported_.back()), ElementsAre("new", "other", "old"));
  const RunEntry& glanced = reported_.back().runs.front();
  EXPECT_EQ(glanced.run, (folder_ / "runs/new").string());
  EXPECT_EQ(glanced.task, "bump-hunt");
  EXPECT_TRUE(glanced.can_open());
  EXPECT_EQ(glanced.stage, 0) << "a glance reads no events";
  const RunScan::Listing whole = scan_.look(places());
  EXPECT_THAT(names(whole), testing::UnorderedElementsAre("new", "other", "old"));
  EXPECT_EQ(
      std::find_if(whole.runs.begin(), whole.runs.end(), [](const auto& run) { return run.name == "new"; })->stage, 1);
  EXPECT_FALSE(scan_.behind());
  EXPECT_EQ(reported_.size(), 2u) << "a look returns what it finds";
}

TEST_F(RunScanTest, WhatAGlanceFoundAndIsGoneIsNotListed) {
  (void)scan_.look(places());
  put_run(folder_ / "runs/short");
  scan_.glance(places());
  ASSERT_EQ(reported_.size(), 1u);
  EXPECT_THAT(names(reported_.front()), ElementsAre("short"));
  fs::remove_all(folder_ / "runs/short");
  EXPECT_THAT(names(scan_.look(places())), ElementsAre());
  EXPECT_FALSE(scan_.behind());
}

TEST_F(RunScanTest, AGlanceLeavesDamagedSettingsToALook) {
  put(folder_ / "runs/damaged/run.toml", "task = 3\n");
  scan_.glance(places());
  EXPECT_TRUE(reported_.empty());
  const RunScan::Listing whole = scan_.look(places());
  ASSERT_THAT(names(whole), ElementsAre("damaged"));
  EXPECT_FALSE(whole.runs.front().problem.empty());
  EXPECT_FALSE(whole.runs.front().can_open());
}

}  // namespace
}  // namespace pairs::model
