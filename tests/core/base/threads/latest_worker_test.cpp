#include "core/base/threads/latest_worker.h"

#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <memory>
#include <optional>
#include <vector>

#include "core/base/text/error.h"
#include "core/base/threads/jobs.h"
#include "core/base/threads/priority.h"

namespace pairs {
namespace {

using namespace std::chrono_literals;

constexpr double kWorkerPatience = 20;

struct LatestWorkerTest : testing::Test {
  std::mutex mutex;
  std::vector<std::string> failures;
  std::optional<LatestWorker> worker;

  LatestWorkerTest() {
    worker.emplace([this](const std::string& text) {
      const std::lock_guard lock(mutex);
      failures.push_back(text);
    });
  }
};

TEST_F(LatestWorkerTest, RunsWhatItIsAsked) {
  int done = 0;
  EXPECT_FALSE(worker->busy());
  worker->request([&](const auto&) { done = 7; });
  ASSERT_TRUE(worker->wait(kWorkerPatience));
  EXPECT_EQ(done, 7);
  EXPECT_FALSE(worker->busy());
}

TEST_F(LatestWorkerTest, OnlyTheNewestOfThoseThatWaitRuns) {
  std::promise<void> began, go;
  std::vector<int> ran;
  worker->request([&](const auto&) {
    began.set_value();
    go.get_future().wait();
  });
  began.get_future().wait();
  for (int k = 0; k < 100; ++k) worker->request([&ran, k](const auto&) { ran.push_back(k); });
  EXPECT_TRUE(worker->busy());
  go.set_value();
  ASSERT_TRUE(worker->wait(kWorkerPatience));
  EXPECT_EQ(ran, std::vector<int>{99});
}

TEST_F(LatestWorkerTest, TellsTheRunningJobThatItIsStale) {
  std::promise<void> began;
  bool fresh_at_first = false, second = false;
  worker->request([&](const LatestWorker::Stale& stale) {
    fresh_at_first = !stale();
    began.set_value();
    while (!stale()) std::this_thread::sleep_for(1ms);
    throw Stopped();
  });
  began.get_future().wait();
  worker->request([&](const LatestWorker::Stale& stale) { second = !stale(); });
  ASSERT_TRUE(worker->wait(kWorkerPatience));
  EXPECT_TRUE(fresh_at_first);
  EXPECT_TRUE(second);
  EXPECT_TRUE(failures.empty()) << "to stop is no failure";
}

TEST_F(LatestWorkerTest, CancelForgetsAndStops) {
  std::promise<void> began;
  bool second = false;
  worker->request([&](const LatestWorker::Stale& stale) {
    began.set_value();
    while (!stale()) std::this_thread::sleep_for(1ms);
  });
  began.get_future().wait();
  worker->request([&](const auto&) { second = true; });
  worker->cancel();
  ASSERT_TRUE(worker->wait(kWorkerPatience));
  EXPECT_FALSE(second);
}

TEST_F(LatestWorkerTest, SaysWhatFailedAndGoesOn) {
  bool after = false;
  worker->request([](const auto&) { fail("The oven is cold"); });
  ASSERT_TRUE(worker->wait(kWorkerPatience));
  worker->request([&](const auto&) { after = true; });
  ASSERT_TRUE(worker->wait(kWorkerPatience));
  EXPECT_EQ(failures, std::vector<std::string>{"The oven is cold"});
  EXPECT_TRUE(after);
}

TEST_F(LatestWorkerTest, WaitGivesUp) {
  std::promise<void> go;
  worker->request([&](const auto&) { go.get_future().wait(); });
  EXPECT_FALSE(worker->wait(0.02));
  go.set_value();
  EXPECT_TRUE(worker->wait(kWorkerPatience));
}

TEST_F(LatestWorkerTest, EndsWhileItWorks) {
  std::promise<void> began;
  bool left = false, waiting = false;
  worker->request([&](const LatestWorker::Stale& stale) {
    began.set_value();
    while (!stale()) std::this_thread::sleep_for(1ms);
    left = true;
  });
  began.get_future().wait();
  worker->request([&](const auto&) { waiting = true; });
  worker.reset();
  EXPECT_TRUE(left) << "waits for the running job";
  EXPECT_FALSE(waiting);
}

TEST_F(LatestWorkerTest, KeepsNothingOfAFinishedJob) {
  const auto held = std::make_shared<int>(1);
  worker->request([held](const auto&) {});
  ASSERT_TRUE(worker->wait(kWorkerPatience));
  EXPECT_EQ(held.use_count(), 1);
}

// Workers share threads: at rest they have none, and a job that takes long holds up no other worker's.
TEST_F(LatestWorkerTest, SharesThreadsWithOthers) {
  const auto none = [] {
    for (int k = 0; k < 400 && background_threads() > 0; ++k) std::this_thread::sleep_for(10ms);
    return background_threads() == 0;
  };
  ASSERT_TRUE(none());
  std::vector<std::unique_ptr<LatestWorker>> many;
  for (int k = 0; k < 20; ++k) many.push_back(std::make_unique<LatestWorker>([](const std::string&) {}));
  EXPECT_EQ(background_threads(), 0) << "a worker without work";
  std::promise<void> go;
  const std::shared_future<void> gone(go.get_future());
  many[0]->request([&](const auto&) { gone.wait(); });
  many[1]->request([&](const auto&) { gone.wait(); });
  int done = 0;
  for (int k = 2; k < 20; ++k) {
    many[static_cast<std::size_t>(k)]->request([&](const auto&) { ++done; });
    ASSERT_TRUE(many[static_cast<std::size_t>(k)]->wait(kWorkerPatience));
    std::this_thread::sleep_for(20ms);  // until the thread that told of the end is at rest
  }
  EXPECT_EQ(done, 18);
  EXPECT_LE(background_threads(), 3) << "one after another they run on one thread";
  go.set_value();
  many.clear();
  EXPECT_TRUE(none()) << "threads end once there is nothing more to do";
}

// Who lowers the thread's priority for a job keeps it from others' jobs.
TEST_F(LatestWorkerTest, KeepsItsPriorityToItself) {
  int own = 0, after = 0, usual = 0;
  worker->request([&](const auto&) { usual = lowered_priority(); });
  ASSERT_TRUE(worker->wait(kWorkerPatience));
  worker->request([&](const auto&) {
    lower_priority(7);
    own = lowered_priority();
  });
  ASSERT_TRUE(worker->wait(kWorkerPatience));
  LatestWorker other([](const std::string&) {});
  other.request([&](const auto&) { after = lowered_priority(); });
  ASSERT_TRUE(other.wait(kWorkerPatience));
  EXPECT_EQ(own, 7);
  EXPECT_EQ(after, usual);
}

}  // namespace
}  // namespace pairs
