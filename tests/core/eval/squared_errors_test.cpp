#include <ATen/Functions.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/base/text/error.h"
#include "core/eval/metrics/metrics.h"

namespace pairs {
namespace {

TEST(SquaredErrors, AgreeWithALoop) {
  const torch::Tensor samples = at::rand({3, 4, 5}, torch::kFloat64), truth = at::rand({3, 5}, torch::kFloat64);
  const SquaredErrors errors = squared_errors(samples, truth);
  for (std::int64_t i = 0; i < 3; ++i) {
    double draw = 0, mean = 0, sd = 0;
    for (std::int64_t p = 0; p < 5; ++p) {
      double center = 0, spread = 0;
      for (std::int64_t s = 0; s < 4; ++s) {
        const double value = samples[i][s][p].item<double>();
        center += value / 4;
        draw += (value - truth[i][p].item<double>()) * (value - truth[i][p].item<double>()) / 20;
      }
      for (std::int64_t s = 0; s < 4; ++s) {
        const double off = samples[i][s][p].item<double>() - center;
        spread += off * off / 3;
      }
      mean += (center - truth[i][p].item<double>()) * (center - truth[i][p].item<double>()) / 5;
      sd += std::sqrt(spread) / 5;
    }
    EXPECT_NEAR(errors.draw[i].item<double>(), draw, 1e-12);
    EXPECT_NEAR(errors.mean[i].item<double>(), mean, 1e-12);
    EXPECT_NEAR(errors.sd[i].item<double>(), sd, 1e-12);
    EXPECT_NEAR(errors.posterior[i].item<double>(), (4 * mean - draw) / 3, 1e-12);
  }
}

// An exact sampler: truth and draws of one posterior N(m, 0.3²): the error of the posterior mean is 0.09, whatever the
// number of draws; that of one draw twice that; of the mean of S draws (1 + 1 / S) times.
TEST(SquaredErrors, OfAnExactSamplerAreTheClosedForms) {
  constexpr std::int64_t kTests = 4000, kPixels = 20;
  const torch::Tensor center = at::rand({kTests, kPixels}, torch::kFloat64);
  const torch::Tensor truth = center + 0.3 * at::randn({kTests, kPixels}, torch::kFloat64);
  for (const std::int64_t draws : {2, 5}) {
    const torch::Tensor samples = center.unsqueeze(1) + 0.3 * at::randn({kTests, draws, kPixels}, torch::kFloat64);
    const SquaredErrors errors = squared_errors(samples, truth);
    const auto mean = [](const torch::Tensor& t) { return t.mean().item<double>(); };
    EXPECT_NEAR(mean(errors.draw), 0.18, 0.003);
    EXPECT_NEAR(mean(errors.mean), 0.09 * (1 + 1.0 / static_cast<double>(draws)), 0.003);
    EXPECT_NEAR(mean(errors.posterior), 0.09, 0.003);
  }
}

TEST(SquaredErrors, OneDrawHasNoSpread) {
  const SquaredErrors errors = squared_errors(at::zeros({2, 1, 3}, torch::kFloat64), at::ones({2, 3}, torch::kFloat64));
  EXPECT_TRUE(errors.draw.equal(at::ones({2}, torch::kFloat64)));
  EXPECT_FALSE(errors.posterior.defined());
  EXPECT_FALSE(errors.sd.defined());
  EXPECT_THROW(squared_errors(at::zeros({2, 1, 3}, torch::kFloat64), at::ones({2, 4}, torch::kFloat64)), Error);
}

}  // namespace
}  // namespace pairs
