// One run trained by several ranks, which are threads here, each with a process group of its own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <mutex>

#include "core/base/files/files.h"
#include "core/train/run/run.h"
#include "tasks/registry.h"
#include "tests/core/parallel/rank_threads.h"
#include "tests/core/train/test_monitor.h"
#include "tests/on_device.h"
#include "tests/read_settings.h"

namespace pairs {
namespace {

using testing::HasSubstr;

RunConfig shared_run(const std::string& task, std::vector<std::string> more) {
  std::vector<std::string> set = {"threads=1",
                                  "device=cpu",
                                  "checkpoint=0",
                                  "slots=8",
                                  "embedder.layers=[16]",
                                  "embedder.size=8",
                                  "head.hidden=16",
                                  "pretrain.epochs=3",
                                  "pretrain.steps=6",
                                  "pretrain.batch=64",
                                  "pretrain.validation_sets=1000",
                                  "cache.sizes=[4,40]",
                                  "cache.sets=[60,20]",
                                  "cache.pieces=4",
                                  "cache.chunk=256",
                                  "finetune.epochs=3",
                                  "finetune.steps=6",
                                  "finetune.batch=32",
                                  "finetune.validation_draws=64"};
  set.insert(set.end(), more.begin(), more.end());
  return load_read(built_in_tasks(), built_in_tasks()->make(task)->info(), "quick", "pairs", set);
}

// Asks its rank to stop at the `at`-th poll; counts the events.
class RankCountingMonitor : public Monitor {
 public:
  explicit RankCountingMonitor(int at = 0) : at_(at) {}
  void event(const Event&) override { ++reported; }
  void progress(const Progress&) override {}
  bool should_stop() override { return at_ > 0 && ++asked_ >= at_; }
  int reported = 0;

 private:
  int at_, asked_ = 0;
};

class RanksTest : public testing::Test {
 protected:
  std::filesystem::path make(const RunConfig& config, const std::string& name) {
    return create_run(config, folder_ / name);
  }
  // Trains on so many ranks; `stops`: the rank that is asked to stop, and at which of its questions.
  static std::vector<RankEnd> train(const std::filesystem::path& run, int size, std::pair<int, int> stops = {-1, 0}) {
    return as_ranks(size, [&](Ranks& ranks) {
      RankCountingMonitor monitor(ranks.rank() == stops.first ? stops.second : 0);
      execute_run(built_in_tasks(), run, monitor, Stage::finetune, &ranks);
      EXPECT_EQ(monitor.reported > 0, ranks.leads());
    });
  }
  static void expect_ended(const std::vector<RankEnd>& ends) {
    for (const RankEnd& end : ends) {
      EXPECT_EQ(end.error, "");
      EXPECT_FALSE(end.stopped);
    }
  }
  static void expect_same(const std::filesystem::path& a, const std::filesystem::path& b) {
    for (const char* file : {run_file::pretrained, run_file::cache, run_file::estimator})
      EXPECT_TRUE(read_file(a / file) == read_file(b / file)) << file << " of " << b;
  }
  TemporaryFolder folder_;
};

TEST_F(RanksTest, AnyNumberOfThemGivesTheSameBits) {
  // Refreshed caches are made by all ranks, too.
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{"cache.refresh=1", "pretrain.ema=0.9"},
        std::vector<std::string>{"finetune.heads=per-n", "finetune.size_distribution=list", "pretrain.clip=1"}}) {
    const RunConfig config = shared_run("gaussian", more);
    const auto alone = make(config, "alone-" + more[0]);
    TestMonitor monitor;
    execute_run(built_in_tasks(), alone, monitor);
    for (const int size : {1, 2, 4, 8}) {
      const auto run = make(config, fmt::format("{}-{}", size, more[0]));
      expect_ended(train(run, size));
      expect_same(alone, run);
      EXPECT_FALSE(std::filesystem::exists(run / run_file::resume));
    }
  }
}

TEST_F(RanksTest, OnOneGpuGiveTheSameBits_CUDA) {
  PAIRS_NEEDS_CUDA();
  // Ranks are threads here, and a process records one thread's steps at a time.
  const RunConfig config = shared_run("gaussian", {"device=cuda", "recorded_steps=false", "cache.refresh=1"});
  const auto alone = make(config, "alone");
  expect_ended(train(alone, 1));
  for (const int size : {2, 4}) {
    const auto run = make(config, fmt::format("{}", size));
    expect_ended(train(run, size));
    expect_same(alone, run);
  }
}

TEST_F(RanksTest, StoppedAndResumedByAnotherNumberTheyGiveTheSameBits) {
  const RunConfig config = shared_run("gaussian", {"cache.refresh=1", "finetune.start=fresh"});
  const auto whole = make(config, "whole"), cut = make(config, "cut");
  expect_ended(train(whole, 2));
  constexpr int kSizes[] = {2, 4, 1, 8};
  int stops = 0;
  for (bool stopped = true; stopped && stops < 200;) {
    const int size = kSizes[stops % 4];
    const std::vector<RankEnd> ends = train(cut, size, {stops % size, 7 + stops % 5});
    stopped = ends[0].stopped;
    for (const RankEnd& end : ends) {
      EXPECT_EQ(end.error, "");
      EXPECT_EQ(end.stopped, stopped) << "all stop, or none";
    }
    stops += stopped;
  }
  EXPECT_GT(stops, 3);
  EXPECT_LT(stops, 200);
  expect_same(whole, cut);
}

TEST_F(RanksTest, SlotsDecideTheWeights) {
  const auto with = make(shared_run("gaussian", {}), "with"),
             fewer = make(shared_run("gaussian", {"slots=4"}), "fewer");
  expect_ended(train(with, 2));
  expect_ended(train(fewer, 2));
  EXPECT_FALSE(read_file(with / run_file::pretrained) == read_file(fewer / run_file::pretrained));
}

TEST_F(RanksTest, ARankWhoseSimulatorFailsEndsAllWithItsSentence) {
  const RunConfig config = shared_run("gaussian", {});
  const auto run = make(config, "run");
  const std::vector<RankEnd> ends = as_ranks(2, [&](Ranks& ranks) {
    class Failing : public Monitor {
     public:
      explicit Failing(bool fails) : fails_(fails) {}
      void event(const Event& event) override {
        if (event.type == EventType::error) text = event.values["text"];
      }
      void progress(const Progress&) override {}
      bool should_stop() override {
        if (fails_ && ++asked_ > 12) fail("The simulator of this rank died");
        return false;
      }
      std::string text;

     private:
      bool fails_;
      int asked_ = 0;
    } monitor(ranks.rank() == 1);
    execute_run(built_in_tasks(), run, monitor, Stage::finetune, &ranks);
  });
  EXPECT_THAT(ends[1].error, HasSubstr("The simulator of this rank died"));
  EXPECT_THAT(ends[0].error, HasSubstr("ank 1 ("));
  EXPECT_THAT(ends[0].error, HasSubstr("The simulator of this rank died"));
  // What was done is kept, and goes on alone to the same weights.
  EXPECT_TRUE(std::filesystem::exists(run / run_file::resume));
  TestMonitor monitor;
  execute_run(built_in_tasks(), run, monitor);
  const auto whole = make(config, "whole");
  expect_ended(train(whole, 1));
  expect_same(whole, run);
}

TEST_F(RanksTest, WhatTheyCannotShareIsRefused) {
  const auto none = make(shared_run("gaussian", {"slots=0"}), "none"),
             few = make(shared_run("gaussian", {"slots=2"}), "few");
  for (const RankEnd& end : train(none, 2)) EXPECT_THAT(end.error, HasSubstr("slots = 0"));
  for (const RankEnd& end : train(few, 4)) EXPECT_THAT(end.error, HasSubstr("slots = 2, which 4 ranks cannot share"));
  EXPECT_THROW(shared_run("gaussian", {"slots=6"}), Error);
  EXPECT_THROW(shared_run("gaussian", {"slots=128"}), Error) << "more slots than sets";
}

TEST_F(RanksTest, ADiskThatIsNotSharedIsTold) {
  const RunConfig config = shared_run("gaussian", {});
  const auto here = make(config, "here"), there = make(shared_run("gaussian", {"seed=2"}), "there");
  Ranks::Options options = quick_ranks();
  options.disk = std::chrono::milliseconds(300);
  const std::vector<RankEnd> ends = as_ranks(
      2,
      [&](Ranks& ranks) {
        RankCountingMonitor monitor;
        execute_run(built_in_tasks(), ranks.leads() ? here : there, monitor, Stage::finetune, &ranks);
      },
      options);
  for (const RankEnd& end : ends) EXPECT_THAT(end.error, HasSubstr("run.toml"));
}

}  // namespace
}  // namespace pairs
