#include "core/eval/evaluate/made_scores.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/base/text/error.h"

namespace pairs {
namespace {

// A density that returns the sum of a set's observations, and none for sets whose θ is negative.
MadeDensity sums(std::int64_t sets) {
  MadeDensity made;
  made.name = "sum";
  made.sets = sets;
  made.samples = 10;
  made.score = [](const Observations& x, const Latents& own) -> std::optional<MadeScore> {
    if (own.theta.item<double>() < 0) return std::nullopt;
    return MadeScore{x.block().sum().item<double>(), {x.block()[0].item<double>() / 10}};
  };
  return made;
}

TEST(MadeScores, AreOfTheFirstSetsAndOfAllTheirObservations) {
  MadeScores scores(sums(3), 4);
  // Sets of two observations, 1 + 2, 3 + 4, 5 + 6, 7 + 8, that arrive in other parts.
  const torch::Tensor x = torch::arange(1, 9, torch::kFloat32).unsqueeze(1);
  const Latents latents{torch::tensor({{1.0}, {-1.0}, {1.0}, {1.0}}, torch::kFloat64), torch::zeros({4, 0})};
  scores.begin(0, 4);
  scores.add(x.slice(0, 0, 3), {{0, 0, 0, 2}, {1, 0, 2, 3}});
  scores.add(x.slice(0, 3, 8), {{1, 0, 0, 1}, {2, 0, 1, 3}, {3, 0, 3, 5}});
  scores.score(latents, {});
  EvaluationRow row;
  row.log_prob = {2, 5, 10, 100};
  row.nll = -30;
  const std::vector<double> exact = {4, 5, 12, 0};
  scores.finish(row, &exact);
  const ReferenceGain& gain = row.reference_gain.at("sum");
  EXPECT_EQ(gain.sets, 3);
  EXPECT_EQ(gain.left_out, 1) << "where the run's own density stands in";
  // With a hundredth of the run's own density: a gain of 1 nat becomes log(0.99 e + 0.01).
  const double one = std::log(0.99 * std::exp(1.0) + 0.01);
  EXPECT_NEAR(gain.mean, 2 * one / 3, 1e-12);
  const ReferenceRanks& ranks = row.reference_ranks.at("sum");
  EXPECT_EQ(ranks.samples, 10);
  EXPECT_EQ(ranks.sets, (std::vector<std::int64_t>{0, 2})) << "those with a density";
  EXPECT_EQ(ranks.ranks, (std::vector<std::vector<double>>{{0.1, 0.5}}));
  EXPECT_NEAR(gain.se, one * std::sqrt(((1.0 / 9) * 2 + 4.0 / 9) / 2 / 3), 1e-12);
  EXPECT_NEAR(row.reference_nll.at("sum"), -30 - 2 * one / 3, 1e-12);
  EXPECT_NEAR(row.reference_gap.at("sum").mean, ((2 - one) + 0 + (2 - one)) / 3, 1e-12);
}

// A truth where the density vanishes costs the run's share, and is not left out: that would choose by the truth.
TEST(MadeScores, ATruthOutsideCounts) {
  MadeDensity nowhere;
  nowhere.name = "nowhere";
  nowhere.sets = 2;
  nowhere.score = [](const Observations&, const Latents&) -> std::optional<MadeScore> { return MadeScore{-INFINITY}; };
  MadeScores scores(nowhere, 2);
  scores.begin(0, 2);
  scores.add(torch::zeros({2, 1}), {{0, 0, 0, 1}, {1, 0, 1, 2}});
  scores.score({torch::ones({2, 1}, torch::kFloat64), torch::zeros({2, 0})}, {});
  EvaluationRow row;
  row.log_prob = {1, 3};
  row.nll = -2;
  scores.finish(row, nullptr);
  EXPECT_EQ(row.reference_gain.at("nowhere").left_out, 0);
  EXPECT_NEAR(row.reference_gain.at("nowhere").mean, std::log(0.01), 1e-12);
}

TEST(MadeScores, OfNoSetsAddNothingAndStopWhenAsked) {
  MadeScores none(sums(0), 4);
  none.begin(0, 4);
  none.add(torch::zeros({4, 1}), {{0, 0, 0, 1}, {1, 0, 1, 2}, {2, 0, 2, 3}, {3, 0, 3, 4}});
  none.score({torch::ones({4, 1}, torch::kFloat64), torch::zeros({4, 0})}, {});
  EvaluationRow row;
  none.finish(row, nullptr);
  EXPECT_TRUE(row.reference_gain.empty() && row.reference_nll.empty());
  MadeScores some(sums(1), 1);
  some.begin(0, 1);
  some.add(torch::zeros({1, 1}), {{0, 0, 0, 1}});
  EXPECT_THROW(some.score({torch::ones({1, 1}, torch::kFloat64), torch::zeros({1, 0})}, [] { return false; }), Stopped);
}

}  // namespace
}  // namespace pairs
