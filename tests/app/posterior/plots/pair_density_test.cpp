#include "app/posterior/plots/pair_density.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "core/base/numbers/random.h"
#include "core/base/text/error.h"
#include "core/report/contour.h"

namespace pairs {
namespace {

struct PairDraws {
  std::vector<double> first, second;
};

// Draws from a Gaussian with these sds and this correlation, centered at (3, -1).
PairDraws gaussian_pairs(std::size_t count, double a, double b, double rho, std::uint64_t seed) {
  Stream stream(seed, 4);
  PairDraws out;
  for (std::size_t k = 0; k < count; ++k) {
    const double u = stream.normal64(), v = stream.normal64();
    out.first.push_back(3 + a * u);
    out.second.push_back(-1 + b * (rho * u + std::sqrt(1 - rho * rho) * v));
  }
  return out;
}

double gaussian_pair(double x, double y, double a, double b, double rho) {
  const double u = (x - 3) / a, v = (y + 1) / b, rest = 1 - rho * rho;
  return std::exp(-0.5 * (u * u - 2 * rho * u * v + v * v) / rest) / (2 * std::numbers::pi * a * b * std::sqrt(rest));
}

TEST(PairDensityTest, IsTheGaussianThatDrawsComeFrom) {
  for (const double rho : {0.0, 0.8, -0.95})
    for (const double b : {1.0, 1e-4}) {
      const PairDraws draws = gaussian_pairs(4000, 2, b, rho, 7);
      const PairDensity found = pair_density(draws.first, draws.second);
      const std::vector<double> x = found.first.middles(), y = found.second.middles();
      const double area = found.first.width() * found.second.width();
      double mass = 0, apart = 0;
      std::vector<double> held(2, 0);
      const std::vector<double> levels = density_levels(found.density, {0.5, 0.9});
      for (std::size_t i = 0; i < x.size(); ++i)
        for (std::size_t j = 0; j < y.size(); ++j) {
          const double ours = found.density[i * y.size() + j], truth = gaussian_pair(x[i], y[j], 2, b, rho);
          mass += ours * area;
          apart += std::fabs(ours - truth) * area;
          for (std::size_t k = 0; k < levels.size(); ++k)
            if (ours >= levels[k]) held[k] += truth * area;
        }
      EXPECT_NEAR(mass, 1, 0.02) << rho << " " << b;
      EXPECT_LT(apart, 0.12) << rho << " " << b;
      // The contours hold the stated shares of the true density.
      EXPECT_NEAR(held[0], 0.5, 0.04) << rho << " " << b;
      EXPECT_NEAR(held[1], 0.9, 0.03) << rho << " " << b;
    }
}

TEST(PairDensityTest, RowsBelongToTheFirst) {
  const PairDraws draws = gaussian_pairs(1000, 1, 5, 0, 3);
  const PairDensity found = pair_density(draws.first, draws.second);
  ASSERT_EQ(found.density.size(), found.first.count * found.second.count);
  const auto top =
      static_cast<std::size_t>(std::max_element(found.density.begin(), found.density.end()) - found.density.begin());
  EXPECT_NEAR(found.first.middles()[top / found.second.count], 3, 0.8);
  EXPECT_NEAR(found.second.middles()[top % found.second.count], -1, 4);
  EXPECT_GT(found.second.width(), 3 * found.first.width());
}

TEST(PairDensityTest, TakesDrawsThatAreAllTheSame) {
  const PairDensity found = pair_density(std::vector<double>(50, 2.0), std::vector<double>(50, 0.0));
  for (const double value : found.density) EXPECT_TRUE(std::isfinite(value));
  EXPECT_THROW(pair_density({1.0}, {2.0}), Error);
  EXPECT_THROW(pair_density({1.0, 2.0}, {2.0}), Error);
}

}  // namespace
}  // namespace pairs
