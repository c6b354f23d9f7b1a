#include "core/heads/flow_sampler.h"

#include <ATen/CPUGeneratorImpl.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "core/base/text/error.h"
#include "core/heads/noise.h"
#include "core/nn/adamw.h"
#include "core/nn/mlp.h"

namespace pairs {
namespace {

using torch::Tensor;

constexpr std::int64_t kFlowSamples = 50000;

// A Gaussian target with covariance of every sign, and the velocity that carries N(0, I) to it along x_t = (1 - t) x_0
// + t θ: x_t and θ - x_0 are jointly Gaussian, so that the velocity is the regression of one on the other.
struct GaussianFlow {
  Tensor mean, covariance, axes, variances;

  explicit GaussianFlow(std::int64_t d) {
    const Tensor factor = torch::randn({d, d}, at::detail::createCPUGenerator(12), torch::kDouble);
    mean = 0.5 + torch::randn({d}, at::detail::createCPUGenerator(13), torch::kDouble).abs();
    covariance = factor.mm(factor.t()) / static_cast<double>(d) + 0.1 * torch::eye(d, torch::kDouble);
    std::tie(variances, axes) = torch::linalg_eigh(covariance);
  }
  Tensor velocity(const Tensor& x, double t) const {
    const double s = 1 - t;
    const Tensor slope = (t * variances - s) / (s * s + t * t * variances);
    const Tensor matrix = axes.mul(slope).mm(axes.t());
    return (mean + (x.to(torch::kDouble) - t * mean).mm(matrix)).to(x.scalar_type());
  }
  // All matrices on the way share their axes, so the flow is the positive root.
  Tensor flow(const Tensor& x0) const {
    return mean + x0.to(torch::kDouble).mm(axes.mul(variances.sqrt()).mm(axes.t()));
  }

  // Relative errors of the samples' mean and covariance.
  double mean_error(const Tensor& x) const {
    return (x.mean(0) - mean).norm().item<double>() / mean.norm().item<double>();
  }
  double covariance_error(const Tensor& x) const {
    const Tensor centered = x - x.mean(0), found = centered.t().mm(centered) / static_cast<double>(x.size(0) - 1);
    return (found - covariance).norm().item<double>() / covariance.norm().item<double>();
  }
};

Tensor flow_noise_rows(std::int64_t d) {
  return normal_noise(21, kFlowSamples, 1, d, torch::empty({0})).squeeze(1);
}

TEST(FlowSampler, CarriesNoiseToAKnownGaussian) {
  const GaussianFlow target(5);
  const Tensor noise = flow_noise_rows(5);
  const Tensor x =
      integrate_flow([&](const Tensor& at, double t) { return target.velocity(at, t); }, noise, 200, "heun")
          .to(torch::kDouble);
  EXPECT_LT(target.mean_error(x), 0.01);
  EXPECT_LT(target.covariance_error(x), 0.01);
  // Sample by sample, where chance plays no part.
  EXPECT_LT((x - target.flow(noise)).abs().max().item<double>(), 1e-3);
}

TEST(FlowSampler, HeunIsOfSecondOrderAndEulerOfFirst) {
  const GaussianFlow target(3);
  const Tensor noise = torch::randn({100, 3}, at::detail::createCPUGenerator(2), torch::kDouble);
  const auto error = [&](const char* solver, std::int64_t steps) {
    const Tensor x =
        integrate_flow([&](const Tensor& at, double t) { return target.velocity(at, t); }, noise, steps, solver);
    return (x - target.flow(noise)).abs().max().item<double>();
  };
  EXPECT_NEAR(std::log2(error("euler", 200) / error("euler", 400)), 1, 0.1);
  EXPECT_NEAR(std::log2(error("heun", 200) / error("heun", 400)), 2, 0.2);
  EXPECT_LT(error("heun", 50), error("euler", 100));
}

TEST(FlowSampler, CarriesNoiseToAGaussianWithALearnedField) {
  const GaussianFlow target(2);
  constexpr std::int64_t kBatch = 2048, kFlowSteps = 1500;
  Mlp net(3, {64, 64}, 2, "silu", at::detail::createCPUGenerator(1));
  AdamW adam(net.parameters(), {.weight_decay = 0});
  auto generator = at::detail::createCPUGenerator(5);
  const Tensor root = target.axes.mul(target.variances.sqrt()).mm(target.axes.t()).to(torch::kFloat);
  const Tensor mean = target.mean.to(torch::kFloat);
  for (std::int64_t step = 0; step < kFlowSteps; ++step) {
    const Tensor x0 = torch::randn({kBatch, 2}, generator, torch::kFloat);
    const Tensor x1 = mean + torch::randn({kBatch, 2}, generator, torch::kFloat).mm(root);
    const Tensor t = torch::rand({kBatch, 1}, generator, torch::kFloat);
    torch::mse_loss(net.forward(torch::cat({torch::lerp(x0, x1, t), t}, 1)), x1 - x0).backward();
    const double progress = static_cast<double>(step) / kFlowSteps;
    adam.step(1e-2 * 0.5 * (1 + std::cos(std::numbers::pi * progress)));
    adam.zero_grad();
  }
  const Tensor x = integrate_flow(
                       [&](const Tensor& at, double t) {
                         return net.forward(torch::cat({at, torch::full({at.size(0), 1}, t)}, 1));
                       },
                       flow_noise_rows(2), 50, "heun")
                       .to(torch::kDouble);
  EXPECT_LT(target.mean_error(x), 0.03);
  EXPECT_LT(target.covariance_error(x), 0.03);
}

TEST(FlowSampler, TellsOfEveryStepAndStopsWhenAsked) {
  const auto constant = [](const Tensor& x, double) { return torch::ones_like(x); };
  std::vector<std::int64_t> seen;
  const Tensor x = integrate_flow(constant, torch::zeros({1, 1}, torch::kDouble), 8, "euler", 1,
                                  [&](std::int64_t step, const Tensor& at) {
                                    seen.push_back(step);
                                    EXPECT_NEAR(at.item<double>(), static_cast<double>(step) / 8, 1e-12);
                                    return step < 3;
                                  });
  EXPECT_EQ(seen, (std::vector<std::int64_t>{0, 1, 2, 3}));
  EXPECT_NEAR(x.item<double>(), 3.0 / 8, 1e-12);
}

TEST(FlowSampler, SpacesItsStepsByThePower) {
  const auto constant = [](const Tensor& x, double) { return torch::ones_like(x); };
  integrate_flow(constant, torch::zeros({1, 1}, torch::kDouble), 5, "heun", 3, [](std::int64_t step, const Tensor& at) {
    EXPECT_NEAR(at.item<double>(), std::pow(static_cast<double>(step) / 5, 3), 1e-12);
    return true;
  });
}

TEST(FlowSampler, RefusesAnUnknownSolverAndNoSteps) {
  const auto still = [](const Tensor& x, double) { return torch::zeros_like(x); };
  EXPECT_THROW(integrate_flow(still, torch::zeros({1, 1}), 10, "midpoint"), Error);
  EXPECT_THROW(integrate_flow(still, torch::zeros({1, 1}), 0, "euler"), Error);
}

}  // namespace
}  // namespace pairs
