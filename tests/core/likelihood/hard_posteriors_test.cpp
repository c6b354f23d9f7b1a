#include <ATen/Functions.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "core/base/numbers/random.h"
#include "core/likelihood/refined_posterior.h"

// Posteriors of many parameters, of two modes and with curved ridges, whose moments are known.

namespace pairs {
namespace {

using torch::Tensor;

ParameterSpace space_of(int parameters) {
  std::vector<double> draws;
  Stream stream(3, 0);
  for (int i = 0; i < 200000; ++i) draws.push_back(stream.normal64());
  return ParameterSpace(
      std::vector<Margin>(static_cast<std::size_t>(parameters), Margin::of(draws, -HUGE_VAL, HUGE_VAL)));
}

// Standard normal coordinates with this log likelihood of z [S, D] -> [S].
UnnormalizedPosterior posterior_of(const ParameterSpace& space, std::function<Tensor(const Tensor&)> log) {
  const std::int64_t d = space.size();
  return {[](const Tensor& z) { return -(0.5 * z.square() + 0.5 * std::log(2 * M_PI)).sum(1); },
          [log](const Tensor& z) {
            const Tensor one = log(z);
            return at::stack({one, one, one}, 1);
          },
          [d](std::int64_t count, std::uint64_t key) {
            at::Generator generator = at::detail::createCPUGenerator(key);
            return at::randn({count, d}, generator, at::TensorOptions(at::kDouble));
          },
          space,
          d,
          true};
}

// ∫ f(x) g(x) dx over x, for the density f of a standard normal.
double mean_of(const std::function<double(double)>& g) {
  double sum = 0;
  constexpr double step = 1e-3;
  for (double x = -6; x <= 6; x += step) sum += step * g(x) * std::exp(-0.5 * x * x) / std::sqrt(2 * M_PI);
  return sum;
}

// Within the errors that the samples state of themselves.
void expect_moments(const RefinedPosterior& out, double mean, double sd, double evidence, const std::string& name) {
  ASSERT_EQ(out.refused, "") << name;
  const double error = 1 / std::sqrt(out.effective);
  for (std::int64_t k = 0; k < out.mean.numel(); k += 2) {
    EXPECT_NEAR(out.mean[k].item<double>(), mean, 5 * sd * error) << name;
    EXPECT_NEAR(out.sd[k].item<double>() / sd, 1, 0.02 + 5 * error) << name;
  }
  EXPECT_NEAR(out.log_evidence, evidence, 0.05 + 5 * out.log_evidence_se) << name;
}

// As many as 16 parameters.
TEST(HardPosteriors, OfManyParameters) {
  for (const int d : {8, 16}) {
    const ParameterSpace space = space_of(d);
    const double sd = 0.05, all = sd * sd / (1 + sd * sd);
    const RefinedPosterior out = refine(
        posterior_of(space, [=](const Tensor& z) { return -0.5 * ((z - 0.7) / sd).square().sum(1); }), {.seed = 3});
    EXPECT_FALSE(out.sequential) << "importance sampling serves";
    expect_moments(out, 0.7 / (1 + sd * sd), std::sqrt(all), d * (0.5 * std::log(all) - 0.245 / (1 + sd * sd)),
                   fmt::format("{} parameters", d));
  }
}

// No mode is lost on the way from the prior: the mean is between both.
TEST(HardPosteriors, OfTwoModes) {
  for (const int d : {4, 8, 12}) {
    const ParameterSpace space = space_of(d);
    const double sd = 0.1, all = sd * sd / (1 + sd * sd), center = 1 / (1 + sd * sd);
    const RefinedPosterior out = refine(posterior_of(space,
                                                     [=](const Tensor& z) {
                                                       return at::logaddexp(-0.5 * ((z - 1) / sd).square().sum(1),
                                                                            -0.5 * ((z + 1) / sd).square().sum(1));
                                                     }),
                                        {.seed = 3});
    ASSERT_EQ(out.refused, "") << d;
    const double share = at::dot(out.weight, (out.theta.select(1, 0) > 0).to(at::kDouble)).item<double>();
    EXPECT_NEAR(share, 0.5, 0.15) << d;
    EXPECT_NEAR(out.log_evidence, d * (0.5 * std::log(all) - 0.5 * center) + M_LN2, 0.1 + 5 * out.log_evidence_se) << d;
  }
}

// Curved ridges in d / 2 planes, which no mixture of few distributions describes: sequential samples, the same for the
// same seed.
TEST(HardPosteriors, OfCurvedRidges) {
  const double sd = 0.1, both = 1 + sd * sd;
  const auto factor = [=](double x) { return std::exp(-0.5 * (x * x - 0.5) * (x * x - 0.5) / both); };
  const double norm = mean_of(factor), square = mean_of([&](double x) { return x * x * factor(x); }) / norm;
  for (const int d : {4, 8}) {
    const ParameterSpace space = space_of(d);
    const UnnormalizedPosterior posterior = posterior_of(space, [=](const Tensor& z) {
      Tensor sum = at::zeros({z.size(0)}, at::kDouble);
      for (int k = 0; k < d; k += 2)
        sum = sum - 0.5 * ((z.select(1, k + 1) - z.select(1, k).square() + 0.5) / sd).square();
      return sum;
    });
    const RefinedPosterior out = refine(posterior, {.seed = 3, .sequential_pairs = kPairsOfASet});
    EXPECT_TRUE(out.sequential) << d;
    EXPECT_TRUE(std::isnan(out.shape));
    expect_moments(out, 0, std::sqrt(square), d / 2 * (std::log(norm) + std::log(sd / std::sqrt(both))),
                   fmt::format("{} parameters", d));
    if (d == 4)
      EXPECT_TRUE(at::equal(refine(posterior, {.seed = 3, .sequential_pairs = kPairsOfASet}).theta, out.theta));
    // Its density is that of the posterior, and normalized.
    const Tensor at = out.theta.slice(0, 0, 20), z = space.coordinates(at);
    const Tensor log = RefinedDensity(out).log_density(at) - space.log_slope(at);
    const Tensor exact = posterior.log_prior(z) + posterior.log_likelihood(z).select(1, 0);
    EXPECT_NEAR((exact - log).std().item<double>(), 0, 1e-6);
    EXPECT_NEAR((exact - log).mean().item<double>(), out.log_evidence, 1e-6);
  }
}

}  // namespace
}  // namespace pairs
