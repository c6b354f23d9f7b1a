#include "core/train/run/cost.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/base/files/files.h"
#include "tests/core/base/temporary_folder.h"

namespace pairs {
namespace {

TEST(TrainingCost, FollowsThePapersRule) {
  RunConfig config;
  config.strategy = "pairs";
  config.pretrain.sizes = {1, 2};
  config.cache.mode = "fixed";
  config.cache.sizes = {10};
  config.cache.sets = {100};
  config.finetune.size_distribution = "list";
  Visits visits{1000, 500, true};
  EXPECT_EQ(training_cost(config, visits, 7, 3).cache, 0) << "counted a cache that was not made";
  visits.cached = true;
  const double giga = 1e-9;
  const Cost cost = training_cost(config, visits, 7, 3);
  EXPECT_DOUBLE_EQ(cost.pretrain, 3 * 1000 * (1.5 * 7 + 3) * giga);
  EXPECT_DOUBLE_EQ(cost.finetune, 3 * 500 * 3 * giga);
  EXPECT_DOUBLE_EQ(cost.cache, 100 * 10 * 7 * giga);
  EXPECT_DOUBLE_EQ(cost.with_cache(), cost.paper() + cost.cache);
  // A twentieth of the sets is held out and simulated once.
  const double held_out = std::floor(100 * config.cache.validation);
  visits.refreshes = 2;
  EXPECT_DOUBLE_EQ(training_cost(config, visits, 7, 3).cache, (3 * (100 - held_out) + held_out) * 10 * 7 * giga);
  config.strategy = "e2e";
  EXPECT_EQ(training_cost(config, visits, 7, 3).with_cache(), cost.pretrain);
}

Visits visits_after(const std::vector<Event>& events) {
  RunProgress run;
  for (const Event& event : events) run.add(event);
  return visits_of(run);
}

TEST(TrainingCost, CountsVisitsFromEvents) {
  Event pretrain;
  pretrain.type = EventType::stage_done;
  pretrain.values = {{"sets", 640}};
  EXPECT_FALSE(visits_after({}).known);
  EXPECT_EQ(visits_after({pretrain}).pretrain, 640);
}

TEST(TrainingCost, CountsTheRunsItStartedFrom) {
  RunConfig config;
  config.pretrain.sizes = {1, 2};
  Event start, pretrain;
  start.type = EventType::started_from;
  start.values = {{"from", "first"}, {"gflop", 5}, {"gflop_with_cache", 7.5}};
  pretrain.type = EventType::stage_done;
  pretrain.values = {{"sets", 1000}};
  const Cost alone = training_cost(config, visits_after({pretrain}), 7, 3),
             continued = training_cost(config, visits_after({start, pretrain}), 7, 3);
  EXPECT_DOUBLE_EQ(continued.paper(), alone.paper() + 5);
  EXPECT_DOUBLE_EQ(continued.with_cache(), alone.with_cache() + 7.5);
  start.values["gflop"] = "five";
  EXPECT_TRUE(std::isnan(visits_after({start, pretrain}).before));
}

// A figure that leaves a run out names the missing part of its record, and does not report that there is no record.
TEST(TrainingCost, SaysWhatOfTheRecordIsMissing) {
  const TemporaryFolder folder;
  LoadedRun run;
  run.folder = folder.path();
  EXPECT_THAT(cost_of(run).missing, testing::HasSubstr("events.jsonl is missing"));
  Event done;
  done.type = EventType::stage_started;
  write_file(folder.path() / run_file::events, log_line(done) + "\n");
  EXPECT_THAT(cost_of(run).missing, testing::HasSubstr("end of stage 1"));
  done.type = EventType::stage_done;
  done.values = {{"sets", 640}};
  write_file(folder.path() / run_file::events, log_line(done) + "\n");
  run.config.pretrain.from = "runs/first";
  EXPECT_THAT(cost_of(run).missing, testing::HasSubstr("\"started-from\""));
  EXPECT_FALSE(cost_of(run).known);
  Event start;
  start.type = EventType::started_from;
  start.values = {{"from", "first"}};
  write_file(folder.path() / run_file::events, log_line(start) + "\n" + log_line(done) + "\n");
  EXPECT_THAT(cost_of(run).missing, testing::HasSubstr("runs/first, has no training record"));
}

}  // namespace
}  // namespace pairs
