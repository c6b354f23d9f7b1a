#include "core/likelihood/refined_posterior.h"

#include <ATen/Functions.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/core/base/message.h"

namespace pairs {
namespace {

using testing::HasSubstr;

// Coordinates of parameters with standard normal priors: nearly the values themselves.
ParameterSpace normal_space(int parameters) {
  std::vector<double> draws;
  Stream stream(3, 0);
  for (int i = 0; i < 200000; ++i) draws.push_back(stream.normal64());
  return ParameterSpace(
      std::vector<Margin>(static_cast<std::size_t>(parameters), Margin::of(draws, -HUGE_VAL, HUGE_VAL)));
}

torch::Tensor normal_prior(const torch::Tensor& z) {
  return -(0.5 * z.square() + 0.5 * std::log(2 * M_PI)).sum(1);
}

torch::Tensor normal_samples(std::int64_t count, std::int64_t parameters, std::uint64_t key) {
  at::Generator generator = at::detail::createCPUGenerator(key);
  return at::randn({count, parameters}, generator, at::TensorOptions(at::kDouble));
}

// z ~ N(0, I) and n observations of mean z_1 + z_2 with unit noise: the posterior is normal.
struct SumOfTwo {
  ParameterSpace space = normal_space(2);
  double n, mean;
  UnnormalizedPosterior posterior(std::int64_t targets = 1) {
    return {normal_prior,
            [this](const torch::Tensor& z) {
              const torch::Tensor log = -0.5 * n * (mean - z.sum(1)).square();
              return at::stack({log, log, log}, 1);
            },
            [](std::int64_t count, std::uint64_t key) { return normal_samples(count, 2, key); },
            space,
            targets,
            true};
  }
  // Mean and sd of z_1: its covariance with the observed mean is 1, and that has the variance 2 + 1 / n.
  double exact_mean() const { return mean / (2 + 1 / n); }
  double exact_sd() const { return std::sqrt(1 - 1 / (2 + 1 / n)); }
};

TEST(Refine, FindsANormalPosterior) {
  for (const double n : {1.0, 30.0, 1000.0, 100000.0}) {
    SumOfTwo sum{.n = n, .mean = 1.4};
    const RefinedPosterior out = refine(sum.posterior(), {.draws = 4000, .seed = 5});
    EXPECT_EQ(out.refused, "") << n;
    EXPECT_GT(out.effective, 1000);
    const double sd = sum.exact_sd(), tolerance = 5 * sd / std::sqrt(out.effective) + 0.02 * sd;
    EXPECT_NEAR(out.mean.item<double>(), sum.exact_mean(), tolerance) << n;
    EXPECT_NEAR(out.sd.item<double>() / sd, 1, 0.08) << n;
    EXPECT_EQ(out.members, 0) << "both are the same";
    // The observed mean has the variance 2 + 1 / n.
    const double evidence = -0.5 * std::log(1 + 2 * n) - 0.5 * sum.mean * sum.mean / (2 + 1 / n);
    EXPECT_LT(out.log_evidence_se, 0.05);
    EXPECT_NEAR(out.log_evidence, evidence, 5 * out.log_evidence_se) << n;
    EXPECT_EQ(out.log_evidence_range, 0);
    EXPECT_NEAR(out.weight.sum().item<double>(), 1, 1e-9);
  }
}

// By the power ζ of a likelihood n observations count as n ζ; the evidence is that without it.
TEST(Refine, ByAPowerOfTheLikelihoodIsThatOfFewerObservations) {
  SumOfTwo sum{.n = 40, .mean = 1.4}, fewer{.n = 10, .mean = 1.4};
  for (const std::int64_t targets : {1, 2}) {
    UnnormalizedPosterior posterior = sum.posterior(targets);
    posterior.power = 0.25;
    const RefinedPosterior out = refine(posterior, {.draws = 4000, .seed = 5});
    EXPECT_EQ(out.refused, "");
    EXPECT_EQ(out.power, 0.25);
    const double sd = fewer.exact_sd();
    EXPECT_NEAR(out.mean[0].item<double>(), fewer.exact_mean(), 0.1 * sd);
    EXPECT_NEAR(out.sd[0].item<double>() / sd, 1, 0.08);
    EXPECT_NEAR(out.log_evidence, -0.5 * std::log(1 + 2 * sum.n) - 0.5 * sum.mean * sum.mean / (2 + 1 / sum.n),
                5 * out.log_evidence_se);
    if (targets == 1) continue;
    const torch::Tensor z = torch::tensor({{0.6, 0.7}, {0.3, 0.9}}, torch::kFloat64), log = out.log_density(z);
    const torch::Tensor exact = -0.5 * z.square().sum(1) - 0.5 * fewer.n * (sum.mean - z.sum(1)).square();
    EXPECT_NEAR((log[0] - log[1] - exact[0] + exact[1]).item<double>(), 0, 1e-6);
  }
}

// Under another prior of z_1, N(1/2, 1/4), which is far narrower than the training prior.
TEST(Refine, FindsThePosteriorUnderAnotherPrior) {
  for (const double n : {1.0, 1000.0}) {
    SumOfTwo sum{.n = n, .mean = 1.4};
    UnnormalizedPosterior posterior = sum.posterior();
    posterior.log_ratio = [](const torch::Tensor& z) {
      const torch::Tensor one = z.select(1, 0);
      return 0.5 * one.square() - 2 * (one - 0.5).square() + std::log(2.0);
    };
    const RefinedPosterior out = refine(posterior, {.draws = 4000, .seed = 5}),
                           old = refine(sum.posterior(), {.draws = 4000, .seed = 5});
    EXPECT_EQ(out.refused, "") << n;
    const double spread = 1.25 + 1 / n, away = sum.mean - 0.5, sd = std::sqrt(0.25 - 0.0625 / spread);
    EXPECT_NEAR(out.mean.item<double>(), 0.5 + 0.25 * away / spread, 0.1 * sd) << n;
    EXPECT_NEAR(out.sd.item<double>() / sd, 1, 0.08) << n;
    const double ratio =
        0.5 * std::log((2 + 1 / n) / spread) - 0.5 * away * away / spread + 0.5 * sum.mean * sum.mean / (2 + 1 / n);
    EXPECT_NEAR(out.log_evidence - old.log_evidence, ratio, 5 * (out.log_evidence_se + old.log_evidence_se)) << n;
    posterior.targets = 2;
    const RefinedPosterior both = refine(posterior, {.draws = 2000, .seed = 5});
    const torch::Tensor z = torch::tensor({{0.6, 0.7}, {0.3, 0.9}}, torch::kFloat64);
    const torch::Tensor log = both.log_density(z);
    const torch::Tensor exact =
        -2 * (z.select(1, 0) - 0.5).square() - 0.5 * z.select(1, 1).square() - 0.5 * n * (sum.mean - z.sum(1)).square();
    EXPECT_NEAR((log[0] - log[1] - exact[0] + exact[1]).item<double>(), 0, 1e-6) << n;
  }
}

// The density that follows from the weighted samples is that of the posterior, and its samples have its moments.
TEST(Refine, DensityAndSamplesAreThoseOfThePosterior) {
  SumOfTwo sum{.n = 50, .mean = 0.6};
  RefinedPosterior out = refine(sum.posterior(), {.draws = 6000, .seed = 6});
  for (const bool closed : {true, false}) {
    if (!closed) out.drawn_from = {};
    const RefinedDensity density(out);
    const torch::Tensor theta = at::linspace(-3, 3, 601, at::kDouble).unsqueeze(1);
    const torch::Tensor log = density.log_density(theta);
    EXPECT_NEAR(log.exp().sum().item<double>() * 0.01, 1, 0.01);
    const torch::Tensor exact = -0.5 * ((theta.squeeze(1) - sum.exact_mean()) / sum.exact_sd()).square() -
                                std::log(sum.exact_sd()) - 0.5 * std::log(2 * M_PI);
    EXPECT_NEAR((exact.exp() * (exact - log)).sum().item<double>() * 0.01, 0, 0.01) << "divergence in nat";
  }
  const torch::Tensor samples = resampled(out, 5000, 2);
  EXPECT_NEAR(samples.mean().item<double>(), out.mean.item<double>(), 0.05 * out.sd.item<double>());
  EXPECT_NEAR(samples.std().item<double>() / out.sd.item<double>(), 1, 0.05);
  EXPECT_TRUE(at::equal(samples, resampled(out, 5000, 2)));
}

TEST(Refine, OfTwoTargetsKeepsTheirCorrelation) {
  SumOfTwo sum{.n = 400, .mean = 0.2};
  const RefinedPosterior out = refine(sum.posterior(2), {.draws = 4000, .seed = 7});
  ASSERT_EQ(out.refused, "");
  const torch::Tensor both = out.theta.sum(1);
  const double mean = at::dot(out.weight, both).item<double>();
  EXPECT_NEAR(mean, 0.4 / (2 + 1 / sum.n), 0.01);
  EXPECT_NEAR(std::sqrt(at::dot(out.weight, (both - mean).square()).item<double>()), 0.05, 0.01) << "1 / √400";
  EXPECT_NEAR(out.sd[0].item<double>(), sum.exact_sd(), 0.05);
}

// Two targets of which the data determine z_1² + z_2 alone: a curved ridge that becomes thin as n grows. The divergence
// of the density from the exact one, by samples of the latter from a fine grid along the ridge.
TEST(Refine, FollowsACurvedRidge) {
  const ParameterSpace space = normal_space(2);
  for (const double n : {10.0, 100.0, 1000.0})
    for (const double mean : {0.5, 2.0}) {
      const auto log_likelihood = [&](const torch::Tensor& z) {
        return -2 * n * (mean - z.select(1, 0).square() - z.select(1, 1)).square();
      };
      const UnnormalizedPosterior posterior = {
          normal_prior,
          [&](const torch::Tensor& z) {
            return at::stack({log_likelihood(z), log_likelihood(z), log_likelihood(z)}, 1);
          },
          [](std::int64_t count, std::uint64_t key) { return normal_samples(count, 2, key); },
          space,
          2,
          true};
      const RefinedPosterior out = refine(posterior, {.draws = 2000, .seed = 5});
      EXPECT_EQ(out.refused, "") << n << ", " << mean;
      EXPECT_GT(out.effective, 600);
      // Coordinates (a, u) with b = mean - a² + u are a shear: the grid follows the ridge.
      const double reach = 6 / std::sqrt(4 * n);
      const torch::Tensor a = at::linspace(-3.2, 3.2, 321, at::kDouble),
                          u = at::linspace(-reach, reach, 61, at::kDouble);
      const torch::Tensor first = a.unsqueeze(1).expand({321, 61}).reshape({-1}),
                          second = (mean - a.square().unsqueeze(1) + u).reshape({-1});
      const torch::Tensor z = at::stack({first, second}, 1);
      const torch::Tensor exact = normal_prior(z) + log_likelihood(z);
      const double cell = (6.4 / 320) * (2 * reach / 60), evidence = at::logsumexp(exact, 0).item<double>();
      const torch::Tensor chance = (exact - evidence).exp(), kept = (chance > 1e-9).nonzero().squeeze(1);
      const torch::Tensor log = RefinedDensity(out).log_density(space.values(z.index_select(0, kept))) -
                                space.log_slope(space.values(z.index_select(0, kept)));
      const torch::Tensor apart = (exact - evidence - std::log(cell)).index_select(0, kept) - log;
      const double divergence = at::dot(chance.index_select(0, kept), apart).item<double>();
      EXPECT_NEAR(divergence, 0, 0.1) << n << ", " << mean << ": effective " << out.effective << ", k " << out.shape;
    }
}

TEST(Refine, SameSeedSameSamples) {
  SumOfTwo sum{.n = 10, .mean = 1};
  const RefinedPosterior a = refine(sum.posterior(), {.draws = 500, .seed = 4}),
                         b = refine(sum.posterior(), {.draws = 500, .seed = 4}),
                         c = refine(sum.posterior(), {.draws = 500, .seed = 5});
  EXPECT_TRUE(at::equal(a.theta, b.theta) && at::equal(a.weight, b.weight));
  EXPECT_FALSE(at::equal(a.theta, c.theta));
}

// A start far from the posterior does not move it.
TEST(Refine, ABadStartDoesNoHarm) {
  SumOfTwo sum{.n = 300, .mean = -0.8};
  RefineOptions options{.draws = 4000, .seed = 8};
  options.start = at::full({100, 1}, 2.5, at::kDouble);
  const RefinedPosterior out = refine(sum.posterior(), options);
  ASSERT_EQ(out.refused, "");
  EXPECT_NEAR(out.mean.item<double>(), sum.exact_mean(), 0.06);
}

// Both members' likelihoods are those of one mean of 100 numbers, so many apart.
RefinedPosterior of_members(double apart) {
  SumOfTwo sum{.n = 100, .mean = 0.5};
  UnnormalizedPosterior posterior = sum.posterior();
  posterior.log_likelihood = [&](const torch::Tensor& z) {
    const auto at_mean = [&](double mean) { return -0.5 * sum.n * (mean - z.sum(1)).square(); };
    return at::stack({at_mean(0.5), at_mean(0.5 - 0.5 * apart), at_mean(0.5 + 0.5 * apart)}, 1);
  };
  return refine(posterior, {.draws = 4000, .seed = 9});
}

// Where the members' posteriors are apart, the posterior is their equal mixture, in mean, width and density.
TEST(Refine, AveragesMembersThatDisagree) {
  const RefinedPosterior near = of_members(0.1), apart = of_members(2.4);
  EXPECT_EQ(near.refused, "");
  EXPECT_FALSE(near.evidences.defined());
  ASSERT_EQ(apart.refused, "");
  ASSERT_TRUE(apart.evidences.defined());
  EXPECT_GT(apart.members, kMostMembers);
  // For each member z₀ + z₁ ~ N(0, 2) a priori, and half of the mean falls on z₀.
  const double share = 2 / (2 + 0.01), own = std::sqrt(0.5 + 0.5 * share * 0.01 / 2), half = 0.5 * share * 1.2;
  EXPECT_NEAR(apart.mean.item<double>(), 0.5 * share * 0.5, 0.06);
  EXPECT_NEAR(apart.sd.item<double>(), std::hypot(own, half), 0.06);
  const RefinedDensity density(apart);
  const torch::Tensor theta = at::linspace(-2, 2, 9, at::kDouble).unsqueeze(1);
  for (std::int64_t k = 0; k < theta.size(0); ++k) {
    double exact = 0;
    for (const double side : {-1.0, 1.0}) {
      const double away = (theta[k].item<double>() - 0.5 * share * 0.5 - side * half) / own;
      exact += 0.5 * std::exp(-0.5 * away * away) / (own * std::sqrt(2 * M_PI));
    }
    EXPECT_NEAR(std::exp(density.log_density(theta.slice(0, k, k + 1)).item<double>()), exact, 0.04) << k;
  }
}

TEST(Refine, RefusesMembersThatContradictEachOther) {
  const RefinedPosterior out = of_members(6);
  EXPECT_GT(out.members, kMostApart);
  EXPECT_THAT(out.refused, HasSubstr("too brief"));
}

// Narrow modes far apart, of which the fit of one proposal sees mostly the space between. Sequential Monte Carlo may
// sample them, if it may take the time.
TEST(Refine, RefusesWhatItCannotSample) {
  const ParameterSpace space = normal_space(6);
  const UnnormalizedPosterior posterior{
      normal_prior,
      [](const torch::Tensor& z) {
        const torch::Tensor far = (z.abs() - 1).square().sum(1);
        const torch::Tensor log = -0.5 * far / (0.02 * 0.02);
        return at::stack({log, log}, 1);
      },
      [](std::int64_t count, std::uint64_t key) { return normal_samples(count, 6, key); }, space, 1};
  RefineOptions options{.draws = 2000, .seed = 10};
  for (const double pairs : {0.0, 1e4}) {
    options.sequential_pairs = pairs;
    const RefinedPosterior out = refine(posterior, options);
    EXPECT_NE(out.refused, "") << out.effective << " " << out.shape;
    EXPECT_FALSE(out.sequential);
  }
  options.sequential_pairs = kPairsOfASet;
  const RefinedPosterior out = refine(posterior, options);
  ASSERT_EQ(out.refused, "");
  EXPECT_TRUE(out.sequential);
  EXPECT_NEAR(at::dot(out.weight, (out.theta.select(1, 0) > 0).to(at::kDouble)).item<double>(), 0.5, 0.15);
  EXPECT_NEAR(out.sd.item<double>(), 1, 0.05);
}

TEST(Refine, OfNowhereIsAnError) {
  SumOfTwo sum{.n = 10, .mean = 0};
  UnnormalizedPosterior posterior = sum.posterior();
  posterior.log_likelihood = [](const torch::Tensor& z) {
    return at::full({z.size(0), 2}, std::numeric_limits<double>::quiet_NaN(), at::kDouble);
  };
  EXPECT_THAT(message_of([&] { refine(posterior, {}); }), HasSubstr("nowhere a number"));
  RefineOptions stopped;
  stopped.keep_going = [] { return false; };
  EXPECT_THROW(refine(sum.posterior(), stopped), Stopped);
}

}  // namespace
}  // namespace pairs
