#include "app/model/studio.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>

#include "app/scores/run_evaluation.h"
#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "core/base/threads/clock.h"
#include "core/base/threads/jobs.h"
#include "core/base/threads/one_thread.h"
#include "core/base/threads/threads.h"
#include "tasks/registry.h"
#include "tests/app/model/environment.h"
#include "tests/app/model/small_run.h"
#include "tests/tasks/digits/tiny_mnist.h"
#include "tests/training/shipped_folder.h"

namespace pairs::model {
namespace {

using ::testing::HasSubstr;

class StudioTest : public ::testing::Test {
 protected:
  Settings settings() const {
    Settings s;
    s.runs_folder = (scratch_.path() / "runs").string();
    return s;
  }
  // A run with its first stage alone, or all of them.
  std::filesystem::path make_run(const std::string& name, Stage until) {
    std::filesystem::create_directories(scratch_.path() / "runs");
    const auto folder = create_run(small_config("bump-hunt"), scratch_.path() / "runs" / name);
    QuietMonitor monitor;
    execute_run(built_in_tasks(), folder, monitor, until);
    return folder;
  }
  static void settle(Studio& studio) {
    const Stopwatch watch;
    for (int rested = 0; rested < 5 && watch.seconds() < 120;) {
      studio.poll();
      rested = studio.busy() ? 0 : rested + 1;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }

  TemporaryFolder scratch_;
  Environment config_{"XDG_CONFIG_HOME", scratch_.path().string()}, data_{"XDG_DATA_HOME", scratch_.path().string()};
};

TEST_F(StudioTest, FirstStartShowsTheBumpHuntWithItsShippedWeights) {
  Studio studio(built_in_tasks(), settings());
  EXPECT_EQ(studio.task(), "bump-hunt");
  EXPECT_EQ(studio.run(), "bump-hunt");
  EXPECT_EQ(studio.tab(), Tab::posterior);
  settle(studio);
  ASSERT_TRUE(studio.posterior.shown());
  EXPECT_THAT(studio.shown_title(), HasSubstr("Bump hunt"));
  EXPECT_EQ(studio.activity(), "Ready");
}

// On one core the program keeps at most three threads of its own at rest. LibTorch adds one for each further core.
TEST_F(StudioTest, AtRestItHasFewThreads) {
  const auto threads = [] {
    using Entries = std::filesystem::directory_iterator;
    return std::distance(Entries("/proc/self/task"), Entries());
  };
  for (int k = 0; k < 400 && background_threads() > 0; ++k) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  const auto before = threads();
  const OneThread one_thread;
  set_background_threads(1);
  Studio studio(built_in_tasks(), settings());
  settle(studio);
  ASSERT_TRUE(studio.posterior.shown());
  studio.open_task("circle");
  settle(studio);
  std::ptrdiff_t now = 0;
  for (int k = 0; k < 1000; ++k) {
    studio.poll();
    now = threads();
    if (now - before <= 3 && background_threads() == 0) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_EQ(background_threads(), 0);
  EXPECT_LE(now - before, 3) << "the list of runs, own tasks, and the desktop's file dialogues look around";
}

// Where digits ship in two versions, the studio shows the weights that match the data: no warning, and stored scores.
TEST_F(StudioTest, ShowsTheShippedWeightsThatKnowTheData) {
  const auto assets = scratch_.path() / "assets", mnist = scratch_.path() / "mnist";
  make_assets(assets);
  write_tiny_mnist(mnist);
  const Environment shipped("PAIRS_ASSETS", assets.string()), no_data("PAIRS_DATA", "");
  ship_digits(assets, "digits-a", mnist.string());
  ship_digits(assets, "digits-b", "");
  for (const std::string& data : {std::string(), mnist.string()}) {
    const std::filesystem::path own = assets / "weights" / (data.empty() ? "digits-b" : "digits-a");
    const LoadedRun run = load_run(built_in_tasks(), own.string(), data, "cpu");
    QuietMonitor quiet;
    write_file(own / run_file::metrics, metrics_text(evaluate_in(quiet, run, evaluation_options(run))));
    Settings wanted = settings();
    wanted.task = "digits";
    wanted.data_folder = data;
    Studio studio(built_in_tasks(), wanted);
    settle(studio);
    EXPECT_EQ(studio.run(), "digits");
    const RunEntry* entry = studio.library.find("digits");
    ASSERT_TRUE(entry);
    EXPECT_EQ(entry->folder, own);
    ASSERT_TRUE(studio.posterior.shown()) << studio.posterior.failure();
    EXPECT_THAT(studio.posterior.shown()->warnings, ::testing::IsEmpty());
    EXPECT_EQ(studio.evaluation.warning(), "");
    EXPECT_TRUE(studio.evaluation.scores()) << "the scores beside the weights are of this data";
  }
  std::filesystem::remove_all(assets / "weights/digits-b");
  Settings wanted = settings();
  wanted.task = "digits";
  Studio studio(built_in_tasks(), wanted);
  settle(studio);
  ASSERT_TRUE(studio.posterior.shown()) << studio.posterior.failure();
  EXPECT_THAT(studio.posterior.shown()->warnings,
              ::testing::Contains(::testing::Field(&PosteriorWarning::text, HasSubstr("was trained on"))));
  EXPECT_THAT(studio.evaluation.warning(), HasSubstr("was trained on"));
}

TEST_F(StudioTest, OpensAFinishedRunAndRemembersIt) {
  const auto folder = make_run("mine", Stage::finetune);
  Studio studio(built_in_tasks(), settings());
  studio.open_path(folder);
  EXPECT_EQ(studio.run(), folder.string());
  EXPECT_EQ(studio.settings.run, folder.string());
  EXPECT_EQ(studio.training.folder(), folder);
  settle(studio);
  EXPECT_EQ(studio.posterior.run(), folder.string());
  Studio again(built_in_tasks(), studio.settings);
  EXPECT_EQ(again.run(), folder.string());
}

TEST_F(StudioTest, ShowsTrainingOfARunThatHasNoWeightsYet) {
  std::filesystem::create_directories(scratch_.path() / "runs");
  const auto folder = create_run(small_config("gaussian"), scratch_.path() / "runs/new");
  Studio studio(built_in_tasks(), settings());
  studio.open_run(folder.string());
  EXPECT_EQ(studio.task(), "gaussian");
  EXPECT_EQ(studio.tab(), Tab::train);
  settle(studio);
}

TEST_F(StudioTest, SaysWhatCannotBeOpened) {
  Studio studio(built_in_tasks(), settings());
  std::ofstream(scratch_.path() / "notes.md") << "nothing";
  studio.open_path(scratch_.path() / "notes.md");
  EXPECT_THAT(studio.hub.messages.all().back().text, HasSubstr("cannot be opened here"));
  EXPECT_TRUE(studio.settings.log_open);
  std::filesystem::create_directories(scratch_.path() / "damaged");
  std::ofstream(scratch_.path() / "damaged/run.toml") << "task = ";
  studio.open_path(scratch_.path() / "damaged");
  EXPECT_THAT(studio.hub.messages.all().back().text, HasSubstr("run.toml"));
  EXPECT_EQ(studio.task(), "bump-hunt") << "what was open stays";
  std::filesystem::create_directories(scratch_.path() / "views");
  std::ofstream(scratch_.path() / "views/cameras.csv") << "file,azimuth,elevation\n";
  studio.open_path(scratch_.path() / "views");
  EXPECT_THAT(studio.hub.messages.all().back().text, HasSubstr("read by pairs --batch infer novel-view --data"));
}

// Whichever task is shown: the one that makes sets of such a thing opens with its weights.
TEST_F(StudioTest, OpensAItemInTheTaskThatKnowsIt) {
  const std::map<std::string, std::string> files = {
      {"objects", "OFF\n4 4 0\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 1 2 3\n3 0 3 2\n"},
      {"molecules", "CCO ethanol\n"}};
  const std::map<std::string, std::string> names = {{"objects", "corner.off"}, {"molecules", "ethanol.smi"}};
  for (const auto& [task, text] : files) {
    const std::vector<std::string> all = built_in_tasks()->names();
    if (std::find(all.begin(), all.end(), task) == all.end()) continue;
    const auto file = scratch_.path() / names.at(task);
    write_file(file, text);
    Studio studio(built_in_tasks(), settings());
    EXPECT_EQ(studio.task(), "bump-hunt");
    studio.open_path(file);
    EXPECT_EQ(studio.task(), task);
    EXPECT_EQ(studio.tab(), Tab::posterior);
    settle(studio);
    ASSERT_TRUE(studio.posterior.scene()) << studio.posterior.failure();
    EXPECT_EQ(studio.posterior.set.failure(), "");
    EXPECT_EQ(studio.posterior.scene()->set_source, file.string());
    EXPECT_THAT(studio.posterior.scene()->set_own, HasSubstr("By the "));
  }
}

TEST_F(StudioTest, TakesADataFileAsTheObservedSet) {
  Studio studio(built_in_tasks(), settings());
  settle(studio);
  const auto file = scratch_.path() / "observed.csv";
  std::ofstream(file) << "x\n0.1\n0.2\n-0.5\n1.25\n";
  studio.set_tab(Tab::task);
  studio.open_path(file);
  EXPECT_EQ(studio.tab(), Tab::posterior);
  settle(studio);
  ASSERT_TRUE(studio.posterior.scene());
  EXPECT_FALSE(studio.posterior.scene()->simulated);
  EXPECT_EQ(studio.posterior.scene()->set_size, 4);
}

// N, the observed file, the other runs of the posterior and the compared runs are restored after a restart.
TEST_F(StudioTest, ShowsAgainWhatWasShown) {
  const std::string one = make_run("one", Stage::finetune).string(), two = make_run("two", Stage::finetune).string();
  const auto file = scratch_.path() / "events.csv";
  std::ofstream(file) << "id,e\n1,0.3\n2,0.5\n3,2.5\n4,0.7\n";
  Settings kept = settings();
  {
    Studio studio(built_in_tasks(), kept);
    studio.open_run(one);
    settle(studio);
    studio.posterior.set_others({two, "bump-hunt"});
    studio.posterior.set.open_file(file, {"e"});
    settle(studio);
    studio.posterior.set_n(3);
    studio.comparison.toggle(two);
    settle(studio);
    kept = studio.settings;
  }
  const auto written = scratch_.path() / "settings.toml";
  SettingsFile(written).save(kept);
  Studio studio(built_in_tasks(), SettingsFile(written).load());
  settle(studio);
  EXPECT_EQ(studio.run(), one);
  EXPECT_EQ(studio.posterior.n(), 3);
  ASSERT_TRUE(studio.posterior.scene());
  EXPECT_EQ(studio.posterior.scene()->set_source, file.string());
  EXPECT_EQ(studio.posterior.scene()->taken, std::vector<std::string>{"e"});
  EXPECT_EQ(studio.posterior.shown()->n, 3);
  EXPECT_EQ(studio.posterior.others(), (std::vector<std::string>{two, "bump-hunt"}));
  EXPECT_TRUE(studio.comparison.holds(two));
  // And the set of the prior, and its N.
  studio.posterior.set.choose_index(7);
  studio.posterior.set_n(12);
  settle(studio);
  Studio again(built_in_tasks(), studio.settings);
  settle(again);
  EXPECT_EQ(again.posterior.scene()->set_short, "set 7");
  EXPECT_EQ(again.posterior.shown()->n, 12);
}

// The Task tab and the posterior show the same set and object for a number, although the weights were trained on other
// objects than a new run would use.
TEST_F(StudioTest, TheTaskTabShowsTheTaskOfTheRun) {
  std::vector<std::string> shown;
  for (const std::string side : {"32", "48"}) {
    RunConfig config = small_config("objects");
    std::vector<Field> table = fields(config);
    set_field(table, "task.objects=60");
    set_field(table, "task.side=" + side);
    set_field(table, "task.views=3");
    const auto run = create_run(config, scratch_.path() / "runs" / side);
    Studio studio(built_in_tasks(), settings());
    studio.open_run(run.string());
    settle(studio);
    ASSERT_TRUE(studio.specimen.card());
    EXPECT_THAT(studio.specimen.card()->source, HasSubstr(side + " pixels")) << studio.specimen.card()->source;
  }
}

TEST_F(StudioTest, KeepsRunAndComparisonOfEachTask) {
  const auto folder = make_run("mine", Stage::finetune);
  Studio studio(built_in_tasks(), settings());
  studio.open_run(folder.string());
  studio.comparison.toggle(folder.string());
  studio.open_task("gaussian");
  EXPECT_EQ(studio.run(), "gaussian");
  EXPECT_TRUE(studio.comparison.entries().empty());
  studio.open_task("bump-hunt");
  EXPECT_EQ(studio.run(), folder.string());
  EXPECT_TRUE(studio.comparison.holds(folder.string()));
  studio.open_run("bump-hunt");
  EXPECT_EQ(studio.run(), "bump-hunt") << "the shipped weights, by their name";
  settle(studio);
}

TEST_F(StudioTest, ANewRunAfterAnOpenedOneIsOfItsTask) {
  const auto folder = make_run("mine", Stage::finetune);
  Settings s = settings();
  s.run = folder.string();
  Studio studio(built_in_tasks(), s);
  settle(studio);
  studio.set_tab(Tab::train);
  EXPECT_EQ(studio.shown_run(), folder.string());
  studio.training.drafts.open();
  EXPECT_TRUE(studio.training.drafting());
  EXPECT_EQ(studio.training.task(), "bump-hunt");
  EXPECT_EQ(studio.training.drafts.shown().task(), "bump-hunt");
  settle(studio);
}

// Another process trains it: here a copy of the weights that appears.
TEST_F(StudioTest, TakesNewWeightsOfARunThatIsOpen) {
  const auto done = make_run("done", Stage::finetune);
  const auto folder = make_run("watched", Stage::pretrain);
  Studio studio(built_in_tasks(), settings());
  studio.open_run(folder.string());
  settle(studio);
  const auto only_pretrained = [&] {
    const auto snapshot = studio.posterior.shown();
    return snapshot && !snapshot->warnings.empty();
  };
  EXPECT_TRUE(only_pretrained());
  std::filesystem::copy_file(done / run_file::estimator, folder / run_file::estimator);
  studio.library.refresh();  // it looks by itself every 2 to 15 s, by how busy the machine is
  const Stopwatch watch;
  while (only_pretrained() && watch.seconds() < 120) {
    studio.poll();
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_FALSE(only_pretrained());
}

TEST_F(StudioTest, ForgetsWhatIsNoLongerThere) {
  Settings s = settings();
  s.run = (scratch_.path() / "gone").string();
  s.task = "no-such-task";
  s.tab = "no-such-tab";
  Studio studio(built_in_tasks(), s);
  EXPECT_EQ(studio.task(), "bump-hunt");
  EXPECT_EQ(studio.run(), "bump-hunt");
  EXPECT_EQ(studio.tab(), Tab::posterior);
}

TEST(Tabs, HaveNames) {
  for (int tab = 0; tab < tab_count; ++tab)
    EXPECT_EQ(static_cast<int>(parse_tab(entry(static_cast<Tab>(tab)).name)), tab);
  EXPECT_THROW(parse_tab("posteriors"), Error);
}

}  // namespace
}  // namespace pairs::model
