#include "core/heads/truncated_logistic.h"

#include <gtest/gtest.h>

#include <cmath>

namespace pairs {
namespace {

using torch::Tensor;

Tensor number(double value, torch::Dtype type = torch::kDouble) {
  return torch::full({1}, value, type);
}

long double sigmoid(long double x) {
  return 1 / (1 + std::exp(-x));
}

TEST(TruncatedLogistic, AgreesWithItsDefinitionInLongDouble) {
  for (const double mu : {-3.0, -1.0, -0.4, 0.0, 0.9, 1.0, 2.5})
    for (const double s : {-2.5, -1.0, 0.0, 1.5})
      for (const double theta : {0.0, 0.001, 0.2, 0.5, 0.83, 1.0}) {
        const long double scale = std::exp(static_cast<long double>(s));
        // Differences of the smaller tail: those of the larger one lose their digits far from the mode.
        const long double side = mu < 0 ? -1 : 1;
        const auto cdf = [&](long double w) { return side * sigmoid(side * (w - mu) / scale); };
        const long double t = (2 * theta - 1 - mu) / scale, whole = cdf(1) - cdf(-1);
        const auto u = static_cast<double>((cdf(2 * theta - 1) - cdf(-1)) / whole);
        const auto slope = static_cast<double>(std::log(2 * sigmoid(t) * sigmoid(-t) / (scale * whole)));
        const auto [got, log_slope] = truncated_logistic(number(theta), number(mu), number(s));
        EXPECT_NEAR(got.item<double>(), u, 1e-9) << mu << " " << s << " " << theta;
        EXPECT_NEAR(log_slope.item<double>(), slope, 1e-8 * (1 + std::fabs(slope))) << mu << " " << s << " " << theta;
        EXPECT_NEAR(truncated_logistic_inverse(got, number(mu), number(s)).item<double>(), theta,
                    1e-9 * std::exp(std::fabs(slope)));
      }
}

TEST(TruncatedLogistic, KeepsTheEndsExactInFloat32) {
  const Tensor mu = torch::linspace(-4, 4, 81), ends = torch::tensor({0.0f, 1.0f}).unsqueeze(1);
  for (const double s : {-12.0, -4.0, 0.0, 6.0, 14.0}) {
    const auto [u, log_slope] = truncated_logistic(ends, mu, torch::full({81}, s));
    EXPECT_TRUE(u[0].eq(0).all().item<bool>()) << s;
    EXPECT_TRUE(u[1].eq(1).all().item<bool>()) << s;
    EXPECT_TRUE(log_slope.isfinite().all().item<bool>()) << s;
    const Tensor inside = truncated_logistic_inverse(torch::rand({500, 1}), mu, torch::full({81}, s));
    EXPECT_TRUE(((inside >= 0) & (inside <= 1)).all().item<bool>()) << s;
  }
}

// Beyond 745 scales the tails are smaller than any number.
TEST(TruncatedLogistic, SamplesLieAtTheNearerEndHoweverFarOutTheModeIs) {
  for (const double s : {-5.0, -1.0, 1.0})
    for (const double mu : {3.0, 20.0, 2000.0})
      for (const double u : {0.01, 0.3, 0.99}) {
        const double rate = std::exp(-s), whole = -std::expm1(-2 * rate);
        // For modes this far out the density falls like an exponential from the nearer end.
        const double depth = (std::log1p(-(1 - u) * whole)) / rate;
        if (mu * rate < 40) continue;
        EXPECT_NEAR(truncated_logistic_inverse(number(u), number(mu), number(s)).item<double>(), 1 + depth / 2, 1e-8);
        EXPECT_NEAR(truncated_logistic_inverse(number(1 - u), number(-mu), number(s)).item<double>(), -depth / 2, 1e-8);
      }
}

TEST(TruncatedLogistic, TendsToTheUniformAndToTheWholeLogistic) {
  const Tensor theta = torch::linspace(0, 1, 101, torch::kDouble);
  const auto [flat, zero] = truncated_logistic(theta, number(0.3), number(10));
  EXPECT_LT((flat - theta).abs().max().item<double>(), 1e-4);
  EXPECT_LT(zero.abs().max().item<double>(), 1e-4);
  const auto [narrow, slope] = truncated_logistic(theta, number(0), number(-5));
  const Tensor whole = torch::sigmoid((2 * theta - 1) * std::exp(5.0));
  EXPECT_LT((narrow - whole).abs().max().item<double>(), 1e-12);
}

}  // namespace
}  // namespace pairs
