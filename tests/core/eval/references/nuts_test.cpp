#include "core/eval/references/nuts.h"

#include <ATen/Functions.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/base/text/error.h"
#include "core/eval/references/mcmc_diagnostics.h"

namespace pairs {
namespace {

// A normal of two coordinates with sd 3 and .01 and correlation .9 about (5, −2).
double narrow_normal(std::span<const double> at, std::span<double> gradient) {
  constexpr double rho = 0.9, a = 3, b = 0.01, inverse = 1 / (1 - rho * rho);
  const double u = (at[0] - 5) / a, v = (at[1] + 2) / b;
  gradient[0] = -inverse * (u - rho * v) / a;
  gradient[1] = -inverse * (v - rho * u) / b;
  return -0.5 * inverse * (u * u - 2 * rho * u * v + v * v);
}

// x ~ N(0, 1), y | x ~ N(x² / 2, .5): bent, with E y = .5 and Var y = .5 + Var x² / 4 = 1.
double banana(std::span<const double> at, std::span<double> gradient) {
  const double off = at[1] - 0.5 * at[0] * at[0];
  gradient[0] = -at[0] + 2 * off * at[0];
  gradient[1] = -2 * off;
  return -0.5 * at[0] * at[0] - off * off;
}

// v ~ N(0, 1), x | v ~ N(0, e^v): a mild funnel, with Var x = √e.
double funnel(std::span<const double> at, std::span<double> gradient) {
  const double precision = std::exp(-at[0]);
  gradient[0] = -at[0] - 0.5 + 0.5 * precision * at[1] * at[1];
  gradient[1] = -precision * at[1];
  return -0.5 * at[0] * at[0] - 0.5 * at[0] - 0.5 * precision * at[1] * at[1];
}

struct Moments {
  double mean, sd;
};

// Within four Monte Carlo standard errors, which must be small themselves.
void expect_moments(const NutsChains& chains, std::int64_t coordinate, Moments truth, double worst_error) {
  const McmcDiagnostics reported = mcmc_diagnostics(chains.draws.select(-1, coordinate));
  EXPECT_LT(reported.r_hat, 1.01);
  EXPECT_LT(reported.mean_error, worst_error * truth.sd);
  EXPECT_NEAR(reported.mean, truth.mean, 4 * reported.mean_error);
  EXPECT_NEAR(reported.sd, truth.sd, 4 * reported.sd_error);
}

TEST(Nuts, LearnsScalesAndCorrelationOfANormal) {
  const NutsChains chains = sample_nuts(narrow_normal, {0, 0}, {.draws = 4000});
  expect_moments(chains, 0, {5, 3}, 0.02);
  expect_moments(chains, 1, {-2, 0.01}, 0.02);
  const torch::Tensor centered = chains.draws.flatten(0, 1) - chains.draws.flatten(0, 1).mean(0);
  const torch::Tensor covariance = centered.t().mm(centered) / static_cast<double>(centered.size(0));
  EXPECT_NEAR((covariance[0][1] / (covariance[0][0] * covariance[1][1]).sqrt()).item<double>(), 0.9, 0.01);
  EXPECT_EQ(chains.divergences, 0);
}

TEST(Nuts, DrawsBentAndWideningDensities) {
  const NutsChains bent = sample_nuts(banana, {0, 0}, {.draws = 4000, .target_acceptance = 0.9});
  expect_moments(bent, 0, {0, 1}, 0.02);
  expect_moments(bent, 1, {0.5, 1}, 0.03);
  const NutsChains widening = sample_nuts(funnel, {0, 0}, {.draws = 8000, .target_acceptance = 0.95});
  expect_moments(widening, 0, {0, 1}, 0.03);
  expect_moments(widening, 1, {0, std::exp(0.25)}, 0.03);
}

// The averaged step is shorter than the last ones of the tuning, so that more is accepted than is asked.
TEST(Nuts, AcceptsAtLeastAsOftenAsItIsAskedByShorterSteps) {
  double step = INFINITY, accepted = 0;
  for (const double target : {0.6, 0.8, 0.95}) {
    const NutsChains chains =
        sample_nuts(narrow_normal, {0, 0}, {.chains = 8, .draws = 2000, .target_acceptance = target});
    double mean_step = 0, mean_acceptance = 0;
    for (std::size_t c = 0; c < 8; ++c) {
      mean_step += chains.step_size[c] / 8;
      mean_acceptance += chains.acceptance[c] / 8;
      EXPECT_GT(chains.acceptance[c], target - 0.05);
    }
    EXPECT_LT(mean_step, step);
    EXPECT_GT(mean_acceptance, accepted);
    step = mean_step;
    accepted = mean_acceptance;
  }
}

TEST(Nuts, IsAFunctionOfTheSeedAndCountsItsGradients) {
  std::int64_t asked = 0;
  const LogDensity counted = [&](std::span<const double> at, std::span<double> gradient) {
    ++asked;
    return banana(at, gradient);
  };
  const NutsSettings settings = {.chains = 2, .tuning = 100, .draws = 50};
  const NutsChains once = sample_nuts(counted, {0, 0}, settings);
  EXPECT_EQ(asked, once.gradients);
  EXPECT_TRUE(sample_nuts(banana, {0, 0}, settings).draws.equal(once.draws));
  NutsSettings other = settings;
  other.seed = 2;
  EXPECT_FALSE(sample_nuts(banana, {0, 0}, other).draws.equal(once.draws));
  EXPECT_FALSE(once.draws[0].equal(once.draws[1]));
  EXPECT_EQ(once.draws.sizes(), (std::vector<std::int64_t>{2, 50, 2}));
}

// No chain of it crosses from one peak to the other.
TEST(Nuts, PeaksThatChainsDoNotCrossAreSeenInRHat) {
  const LogDensity two_peaks = [](std::span<const double> at, std::span<double> gradient) {
    const double a = -50 * (at[0] - 3) * (at[0] - 3), b = -50 * (at[0] + 3) * (at[0] + 3), high = std::max(a, b);
    const double p = std::exp(a - high), q = std::exp(b - high);
    gradient[0] = -100 * (p * (at[0] - 3) + q * (at[0] + 3)) / (p + q);
    return high + std::log(p + q);
  };
  const NutsChains chains = sample_nuts(two_peaks, {0}, {.chains = 6, .tuning = 300, .draws = 300});
  EXPECT_GT(mcmc_diagnostics(chains.draws.select(-1, 0)).r_hat, 1.5);
}

TEST(Nuts, CountsTrajectoriesThatDiverge) {
  const LogDensity cliff = [](std::span<const double> at, std::span<double> gradient) {
    gradient[0] = 0;
    return std::abs(at[0]) < 2 ? 0.0 : -std::numeric_limits<double>::infinity();
  };
  const NutsChains chains = sample_nuts(cliff, {0}, {.chains = 1, .tuning = 200, .draws = 500});
  EXPECT_GT(chains.divergences, 0);
  EXPECT_LT(chains.draws.abs().max().item<double>(), 2);
}

TEST(Nuts, RefusesWhatItCannotSample) {
  const LogDensity nowhere = [](std::span<const double>, std::span<double> gradient) {
    gradient[0] = 0;
    return std::numeric_limits<double>::quiet_NaN();
  };
  EXPECT_THROW(sample_nuts(nowhere, {0}, {}), Error);
  EXPECT_THROW(sample_nuts(banana, {0, 0}, {.chains = 0}), Error);
  EXPECT_THROW(sample_nuts(banana, {0, 0}, {.target_acceptance = 1}), Error);
  EXPECT_THROW(sample_nuts(banana, {0, 0}, {}, [] { return false; }), Stopped);
}

}  // namespace
}  // namespace pairs
