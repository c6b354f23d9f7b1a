#include "core/eval/metrics/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/math/distributions/normal.hpp>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <cmath>

#include "core/base/numbers/random.h"
#include "core/base/text/error.h"
#include "tests/core/eval/normals.h"

namespace pairs {
namespace {

using boost::math::cdf;
using boost::math::quantile;
const boost::math::normal kNormal;

torch::Tensor normals(torch::IntArrayRef shape, std::uint64_t seed) {
  return seeded_normals(shape, seed, 0);
}

torch::Tensor values(const std::vector<double>& v) {
  return torch::tensor(v, torch::kFloat64);
}

torch::Tensor uniform_ranks(std::int64_t n, std::int64_t targets) {
  return dependent_ranks(n, targets, 0, 31);
}

// Ranks of n evenly spread truths under a Gaussian posterior `wide` times too wide, whose mean is `bias` sds off.
torch::Tensor gaussian_ranks(std::int64_t n, double wide, double bias = 0) {
  torch::Tensor ranks = torch::empty({n}, torch::kFloat64);
  for (std::int64_t i = 0; i < n; ++i)
    ranks.data_ptr<double>()[i] = cdf(kNormal, (quantile(kNormal, (i + 0.5) / n) - bias) / wide);
  return ranks;
}

double gaussian_coverage(double level, double wide, double bias = 0) {
  if (level >= 1) return 1;
  const double half = wide * quantile(kNormal, (1 + level) / 2);
  return cdf(kNormal, bias + half) - cdf(kNormal, bias - half);
}

double gaussian_acauc(double wide, double bias = 0) {
  return boost::math::quadrature::gauss_kronrod<double, 61>::integrate(
      [&](double a) { return std::fabs(gaussian_coverage(a, wide, bias) - a); }, 0.0, 1.0, 12);
}

// gaussian_acauc by the trapezoid rule on 100 levels, which is how the metric is defined.
double gaussian_trapezoid(double wide, double bias = 0) {
  double area = 0;
  for (int i = 0; i < 100; ++i)
    area += std::fabs(gaussian_coverage(i / 99.0, wide, bias) - i / 99.0) / 99 * (i == 0 || i == 99 ? 0.5 : 1);
  return area;
}

TEST(RelativeMae, MatchesAHandWorkedCase) {
  const torch::Tensor samples = values({1, 10, 3, 30, 0, 0, 4, 8}).view({2, 2, 2});
  const torch::Tensor truth = values({1, 25, 2, 0}).view({2, 2});
  // Means (2, 20), (2, 4): errors (1, 5), (0, 4) over ranges (2, 10).
  const torch::Tensor errors = relative_errors(samples, truth, values({2, 10}));
  EXPECT_TRUE(errors.equal(values({0.5, 0.2})));
  EXPECT_DOUBLE_EQ(errors.mean().item<double>(), (0.5 + 0.5 + 0 + 0.4) / 4);
}

TEST(RelativeMae, PriorMeanOfAUniformTargetGivesAQuarter) {
  torch::Tensor truth = torch::arange(0.5, 35, 1, torch::kFloat64).view({-1, 1});
  const torch::Tensor errors = relative_errors(torch::full({35, 4, 1}, 17.5, torch::kFloat64), truth, values({35}));
  EXPECT_NEAR(errors.mean().item<double>(), 0.25, 3e-4);
}

TEST(CentralRanks, CountSamplesBelowAndPlaceTiesAtRandom) {
  const std::int64_t tests = 3000;
  const torch::Tensor samples = values({1, 5, 2, 5, 2, 5, 4, 5}).view({1, 4, 2}).expand({tests, 4, 2});
  const torch::Tensor ranks = central_ranks(samples, values({2, 5}).view({1, 2}).expand({tests, 2}), 3);
  for (std::int64_t k = 0; k <= 4; ++k) {
    // For the first target, one sample lies below the truth and two are equal to it; for the second, all are equal.
    const torch::Tensor share = ranks.eq(static_cast<double>(k) / 4).to(torch::kFloat64).mean(0);
    EXPECT_NEAR(share[0].item<double>(), k >= 1 && k <= 3 ? 1.0 / 3 : 0, 0.04) << k;
    EXPECT_NEAR(share[1].item<double>(), 0.2, 0.04) << k;
  }
  EXPECT_TRUE(torch::equal(ranks, central_ranks(samples, values({2, 5}).view({1, 2}).expand({tests, 2}), 3)));
}

TEST(CentralRanks, AgreeWithTensorAlgebraOnRandomInput) {
  const torch::Tensor samples = normals({301, 47, 3}, 1), truth = normals({301, 3}, 2);
  EXPECT_TRUE(
      torch::allclose(central_ranks(samples, truth, 1), samples.lt(truth.unsqueeze(1)).to(torch::kFloat64).mean(1)));
}

TEST(Coverage, CentralIntervalsMatchTheClosedFormOfAGaussian) {
  const std::vector<double> levels = {0, 0.1, 0.5, 0.683, 0.9, 1};
  for (const double wide : {0.5, 1.0, 1.7})
    for (const double bias : {0.0, 0.8}) {
      const std::vector<double> coverage = central_coverage(gaussian_ranks(20000, wide, bias), levels);
      for (std::size_t i = 0; i < levels.size(); ++i)
        EXPECT_NEAR(coverage[i], gaussian_coverage(levels[i], wide, bias), 1e-4) << levels[i];
    }
}

TEST(Acauc, MatchesTheClosedFormOfMisjudgedGaussians) {
  for (const double wide : {0.25, 0.5, 0.9, 1.5, 4.0})
    for (const double bias : {0.0, 1.5}) {
      const double area = acauc(gaussian_ranks(20000, wide, bias));
      EXPECT_NEAR(area, gaussian_trapezoid(wide, bias), 1e-4) << wide << " " << bias;
      EXPECT_NEAR(area, gaussian_acauc(wide, bias), 4e-3) << wide << " " << bias;
    }
}

TEST(Acauc, MatchesTheClosedFormWithPosteriorSamples) {
  const std::int64_t n = 4000, draws = 400;
  const torch::Tensor truth = normals({n, 1}, 3), samples = 2 * normals({n, draws, 1}, 4);
  EXPECT_NEAR(acauc(central_ranks(samples, truth, 1)), gaussian_acauc(2), 0.02);
  EXPECT_GT(gaussian_acauc(2), 0.1);
}

TEST(Acauc, IsAHalfForAPointMass) {
  // All of the posterior on one side of the truth: nothing is covered below level 1, where the trapezoid ends.
  EXPECT_NEAR(acauc(values({0, 1, 1, 0, 1})), 0.5 - 0.5 / 99, 1e-12);
}

TEST(Acauc, AveragesOverTargets) {
  const torch::Tensor good = gaussian_ranks(1000, 1), bad = gaussian_ranks(1000, 3);
  EXPECT_NEAR(acauc(torch::stack({good, bad}, 1)), (acauc(good) + acauc(bad)) / 2, 1e-12);
}

TEST(Acauc, OfACalibratedGaussianLiesBelowTheNoiseFloor) {
  const std::int64_t n = 500, draws = 500;
  const torch::Tensor center = normals({n, 2}, 6);
  const torch::Tensor truth = center + normals({n, 2}, 7), samples = center.unsqueeze(1) + normals({n, draws, 2}, 8);
  const NoiseFloor floor = acauc_noise_floor(uniform_ranks(n, 2), draws);
  EXPECT_LT(acauc(central_ranks(samples, truth, 1)), floor.p95);
  EXPECT_GT(acauc(central_ranks(1.3 * (samples - center.unsqueeze(1)) + center.unsqueeze(1), truth, 1)), floor.p95);
}

TEST(NoiseFloor, MatchesTheBrownianBridge) {
  // E∫|B| = sqrt(2/π) π/8 for a Brownian bridge B.
  const auto expected = [](double n) { return std::sqrt(2 / M_PI) * M_PI / 8 / std::sqrt(n); };
  for (const std::int64_t n : {500, 1000, 5000}) {
    const NoiseFloor floor = acauc_noise_floor(uniform_ranks(n, 1), 10000);
    EXPECT_NEAR(floor.mean / expected(static_cast<double>(n)), 1, 0.025) << n;
  }
  EXPECT_NEAR(acauc_noise_floor(uniform_ranks(500, 1), 10000).mean, 0.0140, 0.0003);
  EXPECT_NEAR(acauc_noise_floor(uniform_ranks(500, 1), 10000).p95, 0.027, 0.001);
}

TEST(NoiseFloor, KnowsTargetsChecksAndSeed) {
  const torch::Tensor of_one = uniform_ranks(500, 1), of_two = uniform_ranks(500, 2);
  const NoiseFloor one = acauc_noise_floor(of_one, 1000), two = acauc_noise_floor(of_two, 1000);
  EXPECT_NEAR(one.mean, two.mean, 0.0005);
  EXPECT_LT(two.p95, one.p95);
  EXPECT_GT(acauc_noise_floor(of_one, 1000, 10).p95, 1.2 * one.p95);
  EXPECT_EQ(acauc_noise_floor(of_one, 1000).p95, one.p95);
  EXPECT_NE(acauc_noise_floor(of_one, 1000, 1, 2).mean, one.mean);
}

// Targets that are one another's copies leave no more room than one; a correlation lies between.
TEST(NoiseFloor, KnowsThatTargetsDependOnEachOther) {
  const double one = acauc_noise_floor(dependent_ranks(1000, 1, 0, 5), 1000, 20).p95;
  const double free = acauc_noise_floor(dependent_ranks(1000, 2, 0, 5), 1000, 20).p95;
  const double half = acauc_noise_floor(dependent_ranks(1000, 2, 0.8, 5), 1000, 20).p95;
  const double copies = acauc_noise_floor(dependent_ranks(1000, 2, 1, 5), 1000, 20).p95;
  EXPECT_NEAR(copies / one, 1, 0.03);
  EXPECT_NEAR(free / one, 0.79, 0.05);  // another implementation, 4,000 evaluations of independent targets
  EXPECT_GT(half, 1.04 * free);
  EXPECT_LT(half, 0.97 * copies);
}

// One in twenty calibrated evaluations with two strongly dependent targets exceeds the noise floor.
TEST(NoiseFloor, IsPassedByOneInTwentyOfDependentTargets) {
  constexpr int kRuns = 1500;
  const double p95 = acauc_noise_floor(dependent_ranks(200, 2, 0.9, 1), 99).p95;
  int beyond = 0;
  for (int r = 0; r < kRuns; ++r)
    beyond += acauc(dependent_ranks(200, 2, 0.9, 100 + static_cast<std::uint64_t>(r), 99)) > p95;
  EXPECT_NEAR(beyond / static_cast<double>(kRuns), 0.05, 0.02);  // three and a half standard errors
}

TEST(NoiseFloor, OfFewSamplesIncludesTheirCoarseness) {
  // The simulation against ranks made the long way.
  const std::int64_t n = 200, draws = 9, repeats = 400;
  double mean = 0;
  for (std::int64_t r = 0; r < repeats; ++r)
    mean += acauc(central_ranks(normals({n, draws, 1}, 100 + 2 * r), normals({n, 1}, 101 + 2 * r), 1)) / repeats;
  EXPECT_NEAR(acauc_noise_floor(uniform_ranks(n, 1), draws).mean, mean, 0.002);
}

TEST(Metrics, RefuseWhatTheyCannotJudge) {
  const torch::Tensor samples = normals({4, 5, 2}, 1), truth = normals({4, 2}, 2);
  EXPECT_THROW(central_ranks(samples.to(torch::kFloat32), truth, 1), Error);
  EXPECT_THROW(central_ranks(samples, truth.slice(0, 0, 3), 1), Error);
  torch::Tensor spoiled = samples.clone();
  spoiled[1][2][1] = NAN;
  EXPECT_THROW(central_ranks(spoiled, truth, 1), Error);
  EXPECT_THROW(relative_errors(spoiled, truth, values({1, 1})), Error);
  EXPECT_THROW(relative_errors(samples, truth, values({1, 0})), Error);
  EXPECT_THROW(central_coverage(values({0.5, 1.5}), {0.5}), Error);
  EXPECT_THROW(acauc(values({0.5, NAN})), Error);
  EXPECT_THROW(acauc_noise_floor(torch::empty({0, 1}, torch::kFloat64), 10), Error);
}

}  // namespace
}  // namespace pairs
