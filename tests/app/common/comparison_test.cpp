#include "app/common/comparison.h"

#include <gtest/gtest.h>

#include <cmath>

#include "app/common/cost.h"
#include "app/common/counts.h"
#include "core/base/error.h"

namespace pairs {
namespace {

TEST(PairedDifference, IsTheMeanOfDifferencesWithItsStandardError) {
  const PairedDifference d = paired_difference({1, 2, 3}, {2, 2, 5});  // differences of NLL: 1, 0, 2
  EXPECT_DOUBLE_EQ(d.mean, 1);
  EXPECT_DOUBLE_EQ(d.se, std::sqrt(1.0 / 3));
  EXPECT_THROW(paired_difference({1}, {1, 2}), Error);
  EXPECT_THROW(paired_difference({}, {}), Error);
}

TEST(SettingRows, PutDifferencesFirst) {
  RunConfig a, b;
  a.task = b.task = "gaussian";
  b.pretrain.rate = 0.5;
  const auto rows = setting_rows({a, b});
  EXPECT_EQ(rows[0].key, "pretrain.rate");
  EXPECT_TRUE(rows[0].differs);
  EXPECT_NE(rows[0].values[0], rows[0].values[1]);
  for (std::size_t k = 1; k < rows.size(); ++k) EXPECT_FALSE(rows[k].differs) << rows[k].key;
}

TEST(TrainingCost, FollowsThePapersRule) {
  RunConfig config;
  config.strategy = "pairs";
  config.pretrain.sizes = {1, 2};
  config.cache.mode = "fixed";
  config.cache.sizes = {10};
  config.cache.sets = {100};
  config.finetune.law = "list";
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

TEST(TrainingCost, CountsVisitsFromEvents) {
  Event pretrain;
  pretrain.type = "stage-done";
  pretrain.values = {{"sets", 640}};
  EXPECT_FALSE(visits_of({}).known);
  EXPECT_EQ(visits_of({pretrain}).pretrain, 640);
}

TEST(ParseCounts, TakesListsAndPowersOfTen) {
  EXPECT_EQ(parse_counts("1,2,1e5", "--sizes"), (std::vector<std::int64_t>{1, 2, 100000}));
  EXPECT_EQ(parse_counts("3 4", "--sizes"), (std::vector<std::int64_t>{3, 4}));
  for (const char* bad : {"", ",", "a", "1,x", "0", "-1", "1.5", "1e300", "nan"})
    EXPECT_THROW(parse_counts(bad, "--sizes"), Error) << bad;
}

}  // namespace
}  // namespace pairs
