#include "core/grid_density.h"

#include <ATen/Functions.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/base/text/error.h"

namespace pairs {
namespace {

Target axis(double low, double high, double view_low, double view_high) {
  return {"t", "t", "", low, high, 0, 1, 1, view_low, view_high};
}
constexpr double kFree = std::numeric_limits<double>::infinity();

// A narrow normal far from the middle of a wide axis, up to a constant.
TEST(GridDensity, FindsAndNormalizesANarrowDensity) {
  const double mean = 3.7, sd = 0.002;
  const GridDensity density(
      {axis(-kFree, kFree, -5, 5)},
      [&](const torch::Tensor& theta) { return 40 - 0.5 * ((theta.squeeze(1) - mean) / sd).square(); }, "It");
  EXPECT_NEAR(density.mean().item<double>(), mean, 1e-6);
  EXPECT_NEAR(density.sd().item<double>() / sd, 1, 1e-3);
  EXPECT_NEAR(density.log_evidence(), 40 + std::log(sd * std::sqrt(2 * M_PI)), 1e-4);
  const torch::Tensor at = torch::tensor({{3.7}, {3.703}}, torch::kFloat64);
  const torch::Tensor expected = -0.5 * ((at.squeeze(1) - mean) / sd).square() - std::log(sd * std::sqrt(2 * M_PI));
  EXPECT_LT((density.log_density(at) - expected).abs().max().item<double>(), 1e-4);
}

TEST(GridDensity, OfTwoTargetsKnowsTheirCovariance) {
  const double rho = 0.8, a = 0.5, b = 2;
  const GridDensity density(
      {axis(-kFree, kFree, -3, 3), axis(-kFree, kFree, -10, 10)},
      [&](const torch::Tensor& theta) {
        const torch::Tensor u = theta.select(1, 0) / a, v = (theta.select(1, 1) - 1) / b;
        return -(u * u - 2 * rho * u * v + v * v) / (2 * (1 - rho * rho));
      },
      "It");
  const torch::Tensor covariance = density.covariance();
  EXPECT_NEAR(density.mean()[0].item<double>(), 0, 0.01);
  EXPECT_NEAR(density.mean()[1].item<double>(), 1, 0.04);
  EXPECT_NEAR(covariance[0][0].item<double>(), a * a, 0.02 * a * a);
  EXPECT_NEAR(covariance[1][1].item<double>(), b * b, 0.02 * b * b);
  EXPECT_NEAR(covariance[0][1].item<double>(), rho * a * b, 0.02 * a * b);
  EXPECT_NEAR(density.log_evidence(), std::log(2 * M_PI * a * b * std::sqrt(1 - rho * rho)), 0.01);
  EXPECT_NEAR(density.sd()[1].item<double>(), std::sqrt(covariance[1][1].item<double>()), 1e-9);
  Stream stream(3, 1);
  const torch::Tensor draws = density.sample(20000, stream), away = draws - draws.mean(0);
  const torch::Tensor of_draws = away.t().matmul(away) / 20000;
  EXPECT_NEAR(of_draws[0][1].item<double>(), rho * a * b, 0.05 * a * b);
}

TEST(GridDensity, StaysWithinTheEndsAndRefusesNothing) {
  const GridDensity flat(
      {axis(0, 2, 0, 2)}, [](const torch::Tensor& theta) { return at::zeros_like(theta.squeeze(1)); }, "It");
  EXPECT_NEAR(flat.mean().item<double>(), 1, 1e-12);
  EXPECT_NEAR(flat.sd().item<double>(), 2 / std::sqrt(12.0), 1e-4);
  EXPECT_NEAR(flat.log_evidence(), std::log(2.0), 1e-12);
  const auto nowhere = [](const torch::Tensor& theta) {
    return at::full_like(theta.squeeze(1), -std::numeric_limits<double>::infinity());
  };
  EXPECT_THROW(GridDensity({axis(0, 2, 0, 2)}, nowhere, "It"), Error);
}

// A ridge that is much thinner than the cells of the first grid, and a density that spans decades.
TEST(GridDensity, ResolvesThinRidgesAndDecades) {
  constexpr double thin = 0.01;
  const GridDensity ridge(
      {axis(-HUGE_VAL, HUGE_VAL, -3, 3), axis(-HUGE_VAL, HUGE_VAL, -3, 3)},
      [](const torch::Tensor& theta) {
        const torch::Tensor a = theta.select(1, 0), across = theta.select(1, 1) - 1 + a.square();
        return -0.5 * (across / thin).square() - 0.5 * a.square();
      },
      "It");
  EXPECT_NEAR(ridge.log_evidence(), std::log(2 * M_PI * thin), 0.01);
  EXPECT_NEAR(ridge.sd()[0].item<double>(), 1, 0.02);
  for (const double observed : {0.002, 1.0, 700.0}) {
    // τ with density 1 / τ² exp(-x / τ) on [0.001, 1000]: its integral is in closed form.
    const GridDensity decades(
        {axis(1e-3, 1e3, 1e-3, 1e3)},
        [&](const torch::Tensor& theta) { return (-2 * theta.log() - observed / theta).squeeze(1); }, "It");
    EXPECT_NEAR(decades.log_evidence(), std::log((std::exp(-observed / 1e3) - std::exp(-observed / 1e-3)) / observed),
                1e-3);
    Stream stream(1, 0);
    const torch::Tensor below = (decades.sample(20000, stream) < 2 * observed).to(torch::kFloat64);
    const double exact =
        (std::exp(-0.5) - std::exp(-observed / 1e-3)) / (std::exp(-observed / 1e3) - std::exp(-observed / 1e-3));
    if (2 * observed < 1e3) EXPECT_NEAR(below.mean().item<double>(), exact, 0.02) << observed;
  }
}

}  // namespace
}  // namespace pairs
