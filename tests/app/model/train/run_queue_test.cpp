#include "app/model/train/run_queue.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <thread>

#include "app/queue/queue_worker.h"
#include "core/base/files/files.h"
#include "core/base/system/child_process.h"
#include "core/base/threads/clock.h"
#include "core/train/run/run.h"
#include "tasks/registry.h"
#include "tests/app/model/environment.h"
#include "tests/core/base/temporary_folder.h"

namespace pairs::model {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class RunQueueTest : public ::testing::Test {
 protected:
  RunQueueTest() {
    hub_.tasks = built_in_tasks();
    hub_.runs_folder = folder_ / "runs";
    std::filesystem::create_directories(hub_.runs_folder);
    program("");
    hub_.notifier = std::make_shared<Notifier>([this](const std::string& title, const std::string& text) {
      const std::lock_guard lock(mutex_);
      reported_.push_back(title + ": " + text);
      return true;
    });
  }
  // In place of the program: writes down how it was called.
  void program(const std::string& more) {
    write_file(folder_ / "program", "#!/bin/sh\nhere=$(dirname \"$0\")\necho \"$@\" >>\"$here/called\"\n" + more);
    ::chmod((folder_ / "program").c_str(), 0755);
  }
  std::filesystem::path run(const std::string& name) {
    RunConfig config;
    config.tasks = hub_.tasks;
    config.task = "bump-hunt";
    return create_run(config, hub_.runs_folder / name);
  }
  std::string add(const std::string& name) { return queue_files().add(item_of(run(name))); }
  Queue queue_files() const { return Queue(hub_.runs_folder); }
  std::unique_ptr<RunQueue> open() {
    auto queue = std::make_unique<RunQueue>(hub_);
    queue->program = folder_ / "program";
    return queue;
  }
  // Polls as the window does.
  static bool until(RunQueue& queue, const std::function<bool()>& done, bool training = false) {
    for (int k = 0; k < 12000; ++k) {
      queue.poll(training);
      if (done()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  }
  static std::vector<std::string> names(const RunQueue& queue) {
    std::vector<std::string> all;
    if (queue.shown())
      for (const QueueItem& item : queue.shown()->view.items) all.push_back(item.name());
    return all;
  }
  std::string called() const {
    return std::filesystem::exists(folder_ / "called") ? read_file(folder_ / "called") : "";
  }
  std::vector<std::string> reported() {
    const std::lock_guard lock(mutex_);
    return reported_;
  }

  TemporaryFolder folder_;
  std::mutex mutex_;
  std::vector<std::string> reported_;
  Hub hub_;
};

TEST_F(RunQueueTest, ShowsWhatAnEarlierStartLeftAndGoesOnWhereItIsAsked) {
  add("a");
  const std::string b = add("b");
  const auto queue = open();
  ASSERT_TRUE(until(*queue, [&] { return queue->line() == "2 to go, nothing works on it"; }));
  EXPECT_EQ(names(*queue), (std::vector<std::string>{"a", "b"}));
  EXPECT_FALSE(queue->going());
  EXPECT_EQ(queue->activity(), "");
  queue->move(b, 0);
  ASSERT_TRUE(until(*queue, [&] { return names(*queue) == std::vector<std::string>{"b", "a"}; }));
  EXPECT_EQ(called(), "") << "nothing begins by itself";
  queue->go_on();
  EXPECT_TRUE(queue->going());
  ASSERT_TRUE(until(*queue, [&] { return !called().empty(); }));
  EXPECT_EQ(called(), "--batch queue work --runs " + hub_.runs_folder.string() + " --of-window --notify\n");
  queue->remove(b);
  ASSERT_TRUE(until(*queue, [&] { return names(*queue) == std::vector<std::string>{"a"}; }));
}

TEST_F(RunQueueTest, WaitsForTheRunThatTheWindowTrains) {
  add("a");
  const auto queue = open();
  queue->go_on();
  EXPECT_TRUE(until(
      *queue, [&] { return queue->line() == "1 to go, after the current run"; }, true))
      << queue->line();
  const Stopwatch watch;
  EXPECT_TRUE(until(
      *queue, [&] { return watch.seconds() > 3 || !called().empty(); }, true));
  EXPECT_EQ(called(), "") << "it waits";
  EXPECT_TRUE(until(*queue, [&] { return !called().empty(); }));
}

TEST_F(RunQueueTest, GivesUpWhereItsProcessEndsAtOnce) {
  add("a");
  const auto queue = open();
  queue->go_on();
  ASSERT_TRUE(until(*queue, [&] { return !hub_.messages.matching("", Level::error).empty(); }));
  EXPECT_THAT(hub_.messages.matching("", Level::error)[0]->text, HasSubstr("ends at once"));
  EXPECT_EQ(std::ranges::count(called(), '\n'), 3);
  EXPECT_FALSE(queue->going());
}

TEST_F(RunQueueTest, ADraftBecomesARunThatWaits) {
  const auto queue = open();
  TrainingDrafts::Planned draft;
  draft.folder = hub_.runs_folder / "mine";
  RunConfig config;
  config.tasks = hub_.tasks;
  config.task = "bump-hunt";
  draft.config = std::make_shared<const RunConfig>(config);
  auto needs = std::make_shared<DraftEstimate>();
  needs->seconds[0] = 10;
  needs->seconds[1] = 20;
  needs->seconds[2] = 30;
  needs->seconds[3] = 0;
  draft.needs = needs;
  queue->add(draft);
  EXPECT_NE(queue->add_blocked(), "");
  ASSERT_TRUE(until(*queue, [&] { return names(*queue) == std::vector<std::string>{"mine"}; }));
  EXPECT_EQ(queue->add_blocked(), "");
  EXPECT_TRUE(std::filesystem::exists(draft.folder / run_file::config));
  EXPECT_DOUBLE_EQ(queue->shown()->left.seconds, 60);
  EXPECT_TRUE(until(*queue, [&] { return queue->going(); })) << "what is added is trained";
  // A folder that exists cannot be created again.
  queue->add(draft);
  ASSERT_TRUE(until(*queue, [&] { return !hub_.messages.matching("", Level::error).empty(); }));
  EXPECT_EQ(names(*queue).size(), 1u);
}

// How long it takes is measured for seconds, and for minutes where it is a study: the window may be closed meanwhile.
TEST_F(RunQueueTest, WhatIsAddedStaysThoughTheWindowIsClosedBeforeItIsMeasured) {
  const std::filesystem::path folder = run("slow");
  auto queue = open();
  queue->add(item_of(folder));
  ASSERT_TRUE(until(*queue, [&] { return !queue_files().read().items.empty(); }));
  const bool measuring = queue->add_blocked() != "";
  queue.reset();
  ASSERT_EQ(queue_files().read().items.size(), 1u);
  EXPECT_EQ(queue_files().read().items[0].name(), "slow");
  EXPECT_TRUE(measuring) << "it was put in once it was measured";
}

TEST_F(RunQueueTest, WhatFailedIsToldAndTriedAgain) {
  const std::string a = add("a");
  queue_files().fail(a, "No room");
  const auto queue = open();
  ASSERT_TRUE(until(*queue, [&] { return queue->shown() != nullptr; }));
  EXPECT_EQ(queue->shown()->view.items[0].reason, "No room");
  EXPECT_FALSE(queue->going());
  queue->retry(a);
  ASSERT_TRUE(until(*queue, [&] { return !called().empty(); }));
}

// A process works on the queue: this one, in a thread.
TEST_F(RunQueueTest, TellsOfTheEndWhereNobodyLooks) {
  add("a");
  add("bad");
  program("case \"$*\" in *bad*) echo '{\"error\": \"It is bad\"}'; exit 1;; esac; sleep 1.5\n");
  hub_.notifier->focused = false;
  const auto queue = open();
  ASSERT_TRUE(until(*queue, [&] { return queue->shown() != nullptr; }));
  std::jthread worker([this] {
    QueueWorker works(queue_files(), folder_ / "program");
    works.work([] { return true; }, [](const auto&) {});
  });
  ASSERT_TRUE(until(*queue, [&] { return queue->going(); }));
  EXPECT_THAT(queue->activity(), HasSubstr("Queue: 2 to go"));
  ASSERT_TRUE(until(*queue, [&] { return !reported().empty(); }));
  EXPECT_THAT(reported(), ElementsAre("The queue is done: 1 done; 1 failed: bad"));
  EXPECT_EQ(names(*queue), std::vector<std::string>{"bad"});
}

// What works on the queue as the process of a window: run by the test below, in a process of its own.
TEST(WindowsProcess, DISABLED_WorksOnAQueue) {
  const char *runs = std::getenv("PAIRS_TEST_RUNS"), *program = std::getenv("PAIRS_TEST_PROGRAM");
  ASSERT_TRUE(runs && program);
  QueueWorker worker(Queue(runs), program, true);
  worker.work([] { return true; }, [](const auto&) {});
}

TEST_F(RunQueueTest, ClosingStopsTheProcessOfAWindowUnlessItIsKept) {
  add("slow");
  program("exec sleep 100\n");
  const Environment runs("PAIRS_TEST_RUNS", hub_.runs_folder.string());
  const Environment program("PAIRS_TEST_PROGRAM", (folder_ / "program").string());
  for (const bool keep : {false, true}) {
    ChildProcess worker({std::filesystem::read_symlink("/proc/self/exe").string(), "--gtest_also_run_disabled_tests",
                         "--gtest_filter=WindowsProcess.DISABLED_WorksOnAQueue"},
                        {folder_ / "said", folder_ / "said"});
    auto queue = open();
    queue->keep = keep;
    ASSERT_TRUE(until(*queue, [&] { return queue->shown() && queue->shown()->view.process == worker.process(); }))
        << read_file(folder_ / "said");
    queue.reset();
    for (int k = 0; k < (keep ? 50 : 500) && !worker.ended(); ++k)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_EQ(worker.ended().has_value(), !keep);
  }
}

TEST_F(RunQueueTest, ARunIsHandedOver) {
  add("a");
  const std::filesystem::path begun = run("begun");
  const auto queue = open();
  queue->keep = true;
  queue->pause();
  queue->hand_over(begun, {1, 2, 3, 0});
  ASSERT_TRUE(until(*queue, [&] { return names(*queue) == std::vector<std::string>{"begun", "a"}; }));
  EXPECT_FALSE(queue->shown()->view.paused);
  EXPECT_DOUBLE_EQ(queue->shown()->progress[0].left, 6) << "with the time that it was seen to take";
  EXPECT_FALSE(queue->shown()->left.whole) << "of the other it is not known";
  EXPECT_TRUE(queue_files().kept()) << "it outlives the window";
  ASSERT_TRUE(until(*queue, [&] { return !called().empty(); }));
}

TEST_F(RunQueueTest, ARunThatIsHandedOverWithoutItsTimeIsMeasured) {
  const std::filesystem::path begun = run("begun");
  const auto queue = open();
  queue->hand_over(begun, {});
  ASSERT_TRUE(until(*queue, [&] { return names(*queue) == std::vector<std::string>{"begun"}; }));
  EXPECT_GT(queue->shown()->left.seconds, 0);
}

TEST_F(RunQueueTest, ARunOfTheSameSettingsIsRefused) {
  const auto queue = open();
  TrainingDrafts::Planned draft;
  RunConfig config;
  config.tasks = hub_.tasks;
  config.task = "bump-hunt";
  draft.folder = hub_.runs_folder / "bump-hunt-20261126-052311";
  draft.config = std::make_shared<const RunConfig>(config);
  auto needs = std::make_shared<DraftEstimate>();
  std::fill_n(needs->seconds, kStages, 1.0);
  draft.needs = needs;
  queue->add(draft);
  ASSERT_TRUE(until(*queue, [&] { return names(*queue).size() == 1; }));
  draft.folder = hub_.runs_folder / "second";
  queue->add(draft);
  ASSERT_TRUE(until(*queue, [&] { return !hub_.messages.matching("", Level::error).empty(); }));
  EXPECT_THAT(hub_.messages.matching("", Level::error)[0]->text,
              HasSubstr("bump-hunt quick #1 · pairs · 05:23 is in the queue already, with the same settings and seed"));
  EXPECT_FALSE(std::filesystem::exists(draft.folder)) << "nothing is made of it";
  config.seed += 1;
  draft.config = std::make_shared<const RunConfig>(config);
  queue->add(draft);
  EXPECT_TRUE(until(*queue, [&] { return names(*queue).size() == 2; }));
}

TEST_F(RunQueueTest, SaysThatTheWindowTrainsARunItself) {
  add("a");
  const auto queue = open();
  ASSERT_TRUE(until(*queue, [&] { return queue->shown() != nullptr; }));
  EXPECT_FALSE(queue_files().read().held);
  queue->poll(true);
  EXPECT_TRUE(queue_files().read().held) << "at once: what is at work is to be saved";
  queue->poll(false);
  EXPECT_FALSE(queue_files().read().held);
  EXPECT_FALSE(queue_files().kept());
  queue->keep = true;
  queue->poll(false);
  EXPECT_TRUE(queue_files().kept());
}

TEST_F(RunQueueTest, KnowsWhatItTrains) {
  add("a");
  const auto queue = open();
  ASSERT_TRUE(until(*queue, [&] { return queue->shown() != nullptr; }));
  EXPECT_FALSE(queue->trains(hub_.runs_folder / "a"));
  const FolderLock works(queue_files().folder());
  queue_files().report_work(queue_files().read().items[0].id, false);
  ASSERT_TRUE(until(*queue, [&] { return queue->trains(hub_.runs_folder / "a"); }));
  EXPECT_TRUE(queue->trains(hub_.runs_folder / "a" / "one")) << "of a study";
  EXPECT_FALSE(queue->trains(hub_.runs_folder / "b"));
}

TEST_F(RunQueueTest, WhatAnotherProcessTrainsStartsNothing) {
  add("a");
  const auto queue = open();
  std::optional<FolderLock> held(hub_.runs_folder / "a");
  queue->go_on();
  for (int k = 0; k < 250; ++k) {
    queue->poll(false);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_EQ(called(), "");
  EXPECT_FALSE(queue->going());
  held.reset();
  EXPECT_TRUE(until(*queue, [&] { return !called().empty(); })) << "once that has ended it is trained";
}

TEST_F(RunQueueTest, NothingIsToldOfAQueueAtRest) {
  int woken = 0;
  hub_.wake = [&] { ++woken; };
  add("a");
  const auto queue = open();
  ASSERT_TRUE(until(*queue, [&] { return queue->shown() != nullptr; }));
  const int before = woken;
  for (int k = 0; k < 250; ++k) {
    EXPECT_FALSE(queue->poll(false));
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_EQ(woken, before) << "a look that finds the same asks for no frame";
}

}  // namespace
}  // namespace pairs::model
