#include <c10/core/InferenceMode.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/base/error.h"
#include "core/base/random.h"
#include "core/eval/metrics.h"
#include "tests/core/eval/normals.h"

namespace pairs {
namespace {

torch::Tensor two_sample_normals(torch::IntArrayRef shape, std::uint64_t seed) {
  return seeded_normals(shape, seed, 1);
}

std::vector<double> levels() {
  std::vector<double> levels;
  for (int i = 1; i < 20; ++i) levels.push_back(i / 20.0);
  return levels;
}

struct Posterior {
  torch::Tensor samples, truth;
};

// Truths around known centres; samples `wide` times as wide as they should be.
Posterior gaussian(double wide, std::int64_t d) {
  const std::int64_t n = 2000, draws = 200;
  const torch::Tensor centre = 2 * two_sample_normals({n, d}, 1);
  return {centre.unsqueeze(1) + wide * two_sample_normals({n, draws, d}, 2), centre + two_sample_normals({n, d}, 3)};
}

TEST(Tarp, OfACalibratedPosteriorIsTheDiagonal) {
  for (const std::int64_t d : {1, 3}) {
    const Posterior p = gaussian(1, d);
    const std::vector<double> coverage = tarp_coverage(p.samples, p.truth, levels(), 1);
    // 1.95/sqrt(n): the Kolmogorov-Smirnov limit at 0.1 %.
    for (std::size_t i = 0; i < coverage.size(); ++i) EXPECT_NEAR(coverage[i], levels()[i], 1.95 / std::sqrt(2000.0));
  }
}

TEST(Tarp, OfThePriorIsTheDiagonal) {
  EXPECT_NEAR(tarp_coverage(two_sample_normals({2000, 200, 2}, 4), two_sample_normals({2000, 2}, 5), {0.5}, 1)[0], 0.5,
              0.045);
}

TEST(Tarp, OfAPointMassOnAnotherDrawIsAHalf) {
  // Truth and point are exchangeable: each is the nearer one half of the time.
  const torch::Tensor points = two_sample_normals({2000, 1, 2}, 6).expand({2000, 10, 2});
  for (const double c : tarp_coverage(points, two_sample_normals({2000, 2}, 7), {0.05, 0.5, 0.95}, 1))
    EXPECT_NEAR(c, 0.5, 0.04);
}

TEST(Tarp, TellsOverconfidentFromUnderconfident) {
  const Posterior narrow = gaussian(0.3, 2), wide = gaussian(4, 2);
  const std::vector<double> over = tarp_coverage(narrow.samples, narrow.truth, {0.1, 0.9}, 1);
  EXPECT_GT(over[0], 0.2);
  EXPECT_LT(over[1], 0.8);
  const std::vector<double> under = tarp_coverage(wide.samples, wide.truth, {0.1, 0.9}, 1);
  EXPECT_LT(under[0], 0.1);
  EXPECT_GT(under[1], 0.93);
}

TEST(Tarp, IsAFunctionOfItsSeedAndOfNoUnits) {
  const Posterior p = gaussian(1, 2);
  const auto once = tarp_coverage(p.samples, p.truth, levels(), 1);
  EXPECT_EQ(once, tarp_coverage(p.samples, p.truth, levels(), 1));
  EXPECT_NE(once, tarp_coverage(p.samples, p.truth, levels(), 2));
  const torch::Tensor units = torch::tensor({1024.0, 0.125}, torch::kFloat64);
  EXPECT_EQ(once, tarp_coverage(p.samples * units, p.truth * units, levels(), 1));
}

TEST(Tarp, RefusesNaN) {
  Posterior p = gaussian(1, 1);
  p.samples[3][4][0] = NAN;
  EXPECT_THROW(tarp_coverage(p.samples, p.truth, levels(), 1), Error);
}

TEST(C2st, OfTheSameDistributionIsAHalf) {
  EXPECT_NEAR(c2st(two_sample_normals({1000, 2}, 1), two_sample_normals({1000, 2}, 2), 1), 0.5, 0.035);
}

TEST(C2st, OfShiftedGaussiansIsTheBestPossibleAccuracy) {
  // Φ(δ/2) for a shift of δ.
  for (const double shift : {1.0, 2.0}) {
    const double best = 0.5 * std::erfc(-shift / 2 / std::sqrt(2.0));
    EXPECT_NEAR(c2st(two_sample_normals({2000, 1}, 3), two_sample_normals({2000, 1}, 4) + shift, 1), best, 0.025);
  }
}

TEST(C2st, SeesCorrelationsBehindEqualMarginals) {
  const auto pair = [](double sign, std::uint64_t seed) {
    const torch::Tensor z = two_sample_normals({1000, 2}, seed);
    return torch::stack({z.select(1, 0), 0.8 * sign * z.select(1, 0) + 0.6 * z.select(1, 1)}, 1);
  };
  // The sign of the product decides: right with probability 1/2 + asin(0.8)/π.
  EXPECT_NEAR(c2st(pair(1, 5), pair(-1, 6), 1), 0.5 + std::asin(0.8) / M_PI, 0.03);
}

TEST(C2st, SeesShapesBehindEqualMoments) {
  // Against N(0,1): half N(-.9,.19) and half N(.9,.19), by sd² = 0.19 of unit variance. Total variation by quadrature.
  const double sd = std::sqrt(0.19);
  const torch::Tensor sign = two_sample_normals({2000, 1}, 7).sign();
  const auto density = [](double x, double m, double s) {
    return std::exp(-0.5 * (x - m) * (x - m) / s / s) / s / std::sqrt(2 * M_PI);
  };
  double variation = 0;
  for (double x = -8; x < 8; x += 0.001)
    variation += 0.0005 * std::fabs(density(x, 0, 1) - 0.5 * density(x, -0.9, sd) - 0.5 * density(x, 0.9, sd));
  const double accuracy = c2st(0.9 * sign + sd * two_sample_normals({2000, 1}, 8), two_sample_normals({2000, 1}, 9), 1);
  EXPECT_NEAR(accuracy, 0.5 + variation / 2, 0.025);
  EXPECT_GT(variation, 0.1);
}

TEST(C2st, IsAFunctionOfItsSeedInAnyMode) {
  const torch::Tensor a = two_sample_normals({100, 2}, 1), b = two_sample_normals({100, 2}, 2) * 1.3;
  const double once = c2st(a, b, 1);
  const c10::InferenceMode inference;
  EXPECT_EQ(c2st(a, b, 1), once);
}

TEST(C2st, RefusesUnequalSetsAndNaN) {
  EXPECT_THROW(c2st(two_sample_normals({100, 2}, 1), two_sample_normals({99, 2}, 2), 1), Error);
  EXPECT_THROW(c2st(two_sample_normals({5, 2}, 1), two_sample_normals({5, 2}, 2), 1), Error);
  EXPECT_THROW(c2st(two_sample_normals({50, 2}, 1), two_sample_normals({50, 2}, 2) * NAN, 1), Error);
}

}  // namespace
}  // namespace pairs
