#include "core/base/latest_worker.h"

#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <optional>
#include <vector>

#include "core/base/error.h"

namespace pairs::model {
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

}  // namespace
}  // namespace pairs::model
