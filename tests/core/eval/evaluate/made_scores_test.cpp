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
  made.log_density = [](const Observations& x, const Latents& own) -> std::optional<double> {
    if (own.theta.item<double>() < 0) return std::nullopt;
    return x.block().sum().item<double>();
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
  EXPECT_NEAR(gain.mean, (1 + 0 + 1) / 3.0, 1e-12);
  EXPECT_NEAR(gain.se, std::sqrt(((1.0 / 9) * 2 + 4.0 / 9) / 2 / 3), 1e-12);
  EXPECT_NEAR(row.reference_nll.at("sum"), -30 - 2 / 3.0, 1e-12);
  EXPECT_NEAR(row.reference_gap.at("sum").mean, (1 + 0 + 1) / 3.0, 1e-12);
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
