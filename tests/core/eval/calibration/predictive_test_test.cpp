// The predictive test on a model with a closed-form solution: draws of the mean and sd of a normal.
#include "core/eval/calibration/predictive_test.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "core/base/gpu/transfer.h"
#include "core/base/text/error.h"

namespace pairs {
namespace {

constexpr std::int64_t kSimulated = 99, kObservations = 40;

torch::Tensor made(std::int64_t sets, double mean, double sd) {
  return mean + sd * torch::randn({sets, kObservations}, torch::kFloat64);
}

// Sets of numbers x [sets, n], with x and x² for an embedding; explained: their mean, as the posterior mean would be.
ComparedSets compared(const torch::Tensor& x, bool explain) {
  const torch::Tensor both = torch::stack({x, x.square()}, 2);
  return {x.unsqueeze(2),
          {"x"},
          leading_components(both, 8),
          both.mean(1),
          explain ? x.mean(1, true) : torch::zeros({x.size(0), 0}, torch::kFloat64)};
}

// Compares a set x [n] of N(θ, 1), θ ~ N(0, 3²), with sets simulated at a draw from the exact posterior of θ.
PredictiveTest beside_posterior(const torch::Tensor& x, bool explain) {
  const double precision = kObservations + 1.0 / 9, mean = x.sum().item<double>() / precision;
  const double theta = mean + torch::randn({1}, torch::kFloat64).item<double>() / std::sqrt(precision);
  return predictive_test(compared(torch::cat({x.unsqueeze(0), made(kSimulated, theta, 1)}), explain));
}

// The largest distance of numbers in (0, 1] from uniform ones, times the root of their number.
double distance_from_uniform(std::vector<double> p) {
  std::sort(p.begin(), p.end());
  double most = 0;
  const auto count = static_cast<double>(p.size());
  for (std::size_t i = 0; i < p.size(); ++i)
    most = std::max(
        {most, std::abs(p[i] - static_cast<double>(i) / count), std::abs(p[i] - static_cast<double>(i + 1) / count)});
  return most * std::sqrt(count);
}

TEST(PredictiveTest, IsUniformOverSetsOfTheModel) {
  torch::manual_seed(11);
  for (const bool explain : {false, true}) {
    std::vector<double> p;
    for (int repeat = 0; repeat < 300; ++repeat) {
      const double theta = 3 * torch::randn({1}, torch::kFloat64).item<double>();
      p.push_back(beside_posterior(made(1, theta, 1)[0], explain).p);
    }
    RecordProperty(explain ? "explained" : "plain", std::to_string(distance_from_uniform(p)));
    EXPECT_LT(distance_from_uniform(p), 1.95) << "Kolmogorov-Smirnov at 0.001";
  }
}

// Statistics of a fixed family are corrected for one another: the least of them is as rare as all of them together.
TEST(PredictiveTest, CorrectsForAllStatistics) {
  torch::manual_seed(12);
  std::int64_t alone = 0, corrected = 0;
  for (int repeat = 0; repeat < 300; ++repeat) {
    const PredictiveTest test = predictive_test(compared(made(kSimulated + 1, 0, 1), false));
    ASSERT_FALSE(test.statistics.empty());
    EXPECT_EQ(test.p, test.statistics.front().corrected);
    EXPECT_TRUE(std::is_sorted(test.statistics.begin(), test.statistics.end(),
                               [](const auto& a, const auto& b) { return a.corrected < b.corrected; }));
    alone += std::any_of(test.statistics.begin(), test.statistics.end(), [](const auto& one) { return one.p <= 0.05; });
    corrected += test.p <= 0.05;
  }
  EXPECT_GT(alone, 45) << "eight looks at 0.05";
  EXPECT_GE(corrected, 4) << "15 are expected";
  EXPECT_LE(corrected, 30);
}

TEST(PredictiveTest, SeesWhatNoParameterExplains) {
  torch::manual_seed(13);
  const auto power = [](const std::function<torch::Tensor()>& draw) {
    std::int64_t seen = 0;
    for (int repeat = 0; repeat < 60; ++repeat) seen += beside_posterior(draw(), true).p <= 0.05;
    return static_cast<double>(seen) / 60;
  };
  const double wide = power([] { return made(1, 1, 1.7)[0]; });
  const double clumped = power([] {
    torch::Tensor x = made(1, 1, 1)[0];
    x.slice(0, 0, 14).fill_(1.5);
    return x;
  });
  const double outlier = power([] {
    torch::Tensor x = made(1, 1, 1)[0];
    x[7] = 8;
    return x;
  });
  RecordProperty("wide", std::to_string(wide));
  RecordProperty("clumped", std::to_string(clumped));
  RecordProperty("outlier", std::to_string(outlier));
  EXPECT_GE(wide, 0.9);
  EXPECT_GE(clumped, 0.6);
  EXPECT_GE(outlier, 0.9);
}

// What the mean explains is no misfit: sets whose means differ only in the draw are all alike.
TEST(PredictiveTest, LeavesAWrongDrawAlone) {
  torch::manual_seed(14);
  std::int64_t accused = 0, blind = 0;
  for (int repeat = 0; repeat < 60; ++repeat) {
    const torch::Tensor x = torch::cat({made(1, 0.45, 1), made(kSimulated, 0, 1)});  // the posterior is off
    accused += predictive_test(compared(x, true)).p <= 0.05;
    blind += predictive_test(compared(x, false)).p <= 0.05;
  }
  EXPECT_LE(accused, 14);
  EXPECT_GE(blind, 30) << "which statistics that know nothing of the mean would blame on the model";
}

TEST(PredictiveTest, NamesObservationsThatLieFar) {
  torch::manual_seed(15);
  torch::Tensor x = made(kSimulated + 1, 0, 1);
  x[0][3] = -9;
  x[0][21] = 14;
  const PredictiveTest test = predictive_test(compared(x, true));
  ASSERT_EQ(test.far.size(), 2u);
  EXPECT_EQ(test.far[0].row, 21);
  EXPECT_EQ(test.far[1].row, 3);
  EXPECT_NEAR(test.far[0].tail, 1.0 / (kSimulated * kObservations + 1), 1e-12);
  EXPECT_NEAR(test.far[0].corrected, 1.0 / (kSimulated + 1), 1e-12);
  std::int64_t named = 0;
  for (int repeat = 0; repeat < 200; ++repeat)
    named += !predictive_test(compared(made(kSimulated + 1, 0, 1), true)).far.empty();
  EXPECT_LE(named, 22) << "ten are expected";
  EXPECT_GE(named, 2);
}

// Order and units of features and embeddings decide nothing.
TEST(PredictiveTest, TreatsAllSetsAlike) {
  torch::manual_seed(16);
  const ComparedSets sets = compared(made(kSimulated + 1, 0, 1), true);
  const PredictiveTest test = predictive_test(sets);
  ComparedSets other = sets;
  const torch::Tensor order = torch::cat({torch::zeros({1}, torch::kInt64), 1 + torch::randperm(kSimulated)});
  for (torch::Tensor* one : {&other.features, &other.embedded, &other.aggregates, &other.explained})
    *one = one->index_select(0, order);
  other.features = 1000 * other.features - 70000;
  other.aggregates = other.aggregates * torch::tensor({1e-3, 5.0}, torch::kFloat64) + 3;
  const PredictiveTest again = predictive_test(other);
  EXPECT_EQ(again.p, test.p);
  for (std::size_t k = 0; k < test.statistics.size(); ++k) {
    EXPECT_EQ(again.statistics[k].name, test.statistics[k].name);
    EXPECT_NEAR(again.statistics[k].z, test.statistics[k].z, 1e-6);
  }
}

TEST(PredictiveTest, TakesConstantsAndSetsOfOne) {
  torch::manual_seed(17);
  ComparedSets sets = compared(torch::randn({kSimulated + 1, 1}, torch::kFloat64), true);
  EXPECT_GT(predictive_test(sets).p, 0);
  sets.features = torch::full({kSimulated + 1, 1, 1}, 3.0, torch::kFloat64);
  EXPECT_GT(predictive_test(sets).p, 0);
  sets.features[0] += 1;  // the model never makes it
  EXPECT_NEAR(predictive_test(sets).p, 1.0 / (kSimulated + 1), 1e-12);
}

TEST(PredictiveTest, RefusesWhatCannotBeCompared) {
  ComparedSets sets = compared(torch::randn({kFewestPredictiveSets, 5}, torch::kFloat64), true);
  EXPECT_THROW(predictive_test(sets), Error) << "too few";
  sets = compared(torch::randn({kSimulated + 1, 5}, torch::kFloat64), true);
  sets.names.clear();
  EXPECT_THROW(predictive_test(sets), Error);
  sets.names = {"x"};
  sets.features[4][2] = NAN;
  EXPECT_THROW(predictive_test(sets), Error);
}

// A known map: components of correlated normals are uncorrelated, of variance one, and as many as there are.
TEST(PredictiveTest, ComponentsAreWhite) {
  torch::manual_seed(18);
  const torch::Tensor z = torch::randn({50, 40, 2}, torch::kFloat64);
  const torch::Tensor map = torch::tensor({{2.0, 1.0, 0.5}, {0.0, 3.0, -1.0}}, torch::kFloat64);
  const torch::Tensor components = leading_components(z.matmul(map) + 1e3, 8);
  ASSERT_EQ(components.size(2), 2);
  const torch::Tensor found = components.reshape({-1, 2});
  const torch::Tensor covariance = found.t().matmul(found) / found.size(0);
  EXPECT_TRUE(torch::allclose(covariance, torch::eye(2, torch::kFloat64), 1e-6, 1e-6)) << covariance;
}

}  // namespace
}  // namespace pairs
