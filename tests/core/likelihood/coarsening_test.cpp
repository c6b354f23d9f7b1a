#include "core/likelihood/coarsening.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace pairs {
namespace {

// The score of a normal posterior whose mean is `error` standard deviations from the truth.
PowerScore of_normal(double error, std::int64_t n) {
  return {n, [error](double power) -> PowerScore::Value {
            return {0.5 * (std::log(power) - power * error * error), 0.5 * (std::log(power) - 1)};
          }};
}

std::vector<PowerScore> drawn(double alpha, int sets, unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<double> normal;
  std::vector<PowerScore> out;
  for (int k = 0; k < sets; ++k) {
    const std::int64_t n = std::int64_t{16} << (k % 7);
    out.push_back(of_normal(normal(generator) * std::sqrt(1 + static_cast<double>(n) / alpha), n));
  }
  return out;
}

TEST(Coarsening, PowerLeavesSmallSetsAlone) {
  EXPECT_EQ(coarsened_power(INFINITY, 1000), 1);
  EXPECT_NEAR(coarsened_power(1000, 1), 1, 1.1e-3);
  EXPECT_DOUBLE_EQ(coarsened_power(1000, 1000), 0.5);
  // N observations of power ζ count as N ζ, which stays below α.
  EXPECT_LT(1e9 * coarsened_power(1000, 1'000'000'000), 1000);
}

TEST(Coarsening, FindsTheAlphaThatErrorsWereDrawnWith) {
  for (const double alpha : {20.0, 100.0, 1000.0}) {
    double sum = 0;
    for (unsigned seed = 1; seed <= 20; ++seed) sum += std::log(fitted_coarsening(drawn(alpha, 700, seed)));
    EXPECT_NEAR(std::exp(sum / 20), alpha, 0.2 * alpha);
  }
}

TEST(Coarsening, LeavesExactPosteriorsAsTheyAre) {
  int coarsened = 0;
  for (unsigned seed = 1; seed <= 100; ++seed) {
    const double alpha = fitted_coarsening(drawn(INFINITY, 70, seed));
    coarsened += std::isfinite(alpha);
    EXPECT_GT(coarsened_power(alpha, 1000), 0.3);
  }
  EXPECT_LE(coarsened, 8) << "of 100";
  EXPECT_EQ(fitted_coarsening({}), INFINITY);
  const std::vector<PowerScore> none(10, of_normal(0, 1000));
  EXPECT_EQ(fitted_coarsening(none), INFINITY);
}

TEST(Coarsening, DoesNotFollowASingleWrongSet) {
  std::vector<PowerScore> sets = drawn(INFINITY, 70, 3);
  sets.push_back(of_normal(400, 1000));
  EXPECT_GT(fitted_coarsening(sets), 500);
}

}  // namespace
}  // namespace pairs
