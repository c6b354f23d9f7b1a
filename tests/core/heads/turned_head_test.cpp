#include "core/heads/turned_head.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Functions.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/base/text/error.h"
#include "core/heads/mixture_head.h"
#include "core/heads/spline_head.h"
#include "core/nn/adamw.h"

namespace pairs {
namespace {

constexpr double kEndless = std::numeric_limits<double>::infinity();

struct TurnedCase {
  const char* kind;
  const char* support;
};
constexpr TurnedCase kTurnedCases[] = {
    {"spline", "box"}, {"spline", "real"}, {"mixture", "box"}, {"mixture", "real"}, {"umnn", "real"}};

// A head whose first target is periodic, and the last one, if there are two, is not.
std::shared_ptr<Head> turned_head(const TurnedCase& one, std::size_t targets, std::int64_t context = 3) {
  HeadConfig config;
  config.kind = one.kind;
  config.of<SplineHead::Settings>().support = config.of<MixtureHead::Settings>().support = one.support;
  const bool box = std::string(one.support) == "box";
  const HeadTarget other = box ? HeadTarget{0, 1} : HeadTarget{-kEndless, kEndless};
  HeadTarget circle = other;
  circle.periodic = true;
  const std::vector<HeadTarget> all = targets == 1 ? std::vector{circle} : std::vector{circle, other};
  auto head = make_head(config, all, context, at::detail::createCPUGenerator(7));
  const torch::NoGradGuard no_grad;
  at::Generator generator = at::detail::createCPUGenerator(4);
  // A broad density of the logit lies too near the cut for sums over a grid.
  const double stir = box ? 0.1 : 0.02;
  for (torch::Tensor& p : head->parameters()) p.add_(stir * at::randn(p.sizes(), generator, p.options()));
  head->eval();
  return head;
}

// The density goes around the circle and has mass 1; samples follow it.
TEST(TurnedHead, IsADensityOnTheCircle) {
  const torch::NoGradGuard no_grad;
  for (const TurnedCase& one : kTurnedCases) {
    const auto head = turned_head(one, 1);
    const torch::Tensor context = torch::tensor({{0.4F, -1.0F, 0.8F}, {-1.4F, 0.3F, 2.0F}});
    constexpr std::int64_t cells = 4000;
    const torch::Tensor grid = (at::arange(cells, at::kFloat) + 0.5) / cells;
    const torch::Tensor theta = grid.view({1, cells, 1}).expand({2, cells, 1}).contiguous();
    const torch::Tensor density = head->log_prob_grid(theta, context).to(torch::kFloat64).exp();
    for (std::int64_t b = 0; b < 2; ++b)
      EXPECT_NEAR(density[b].mean().item<double>(), 1, 0.02) << one.kind << " " << one.support;
    for (const double turn : {-1.0, 2.0})
      EXPECT_TRUE(
          at::allclose(head->log_prob_grid(theta + turn, context).exp(), density.to(torch::kFloat32), 0.02, 0.02))
          << one.kind << " " << one.support;
    constexpr std::int64_t count = 20000;
    const torch::Tensor samples = head->sample(context, count, 5).to(torch::kFloat64);
    EXPECT_GE(samples.min().item<double>(), 0);
    EXPECT_LE(samples.max().item<double>(), 1);
    for (std::int64_t b = 0; b < 2; ++b)
      for (const double end : {0.2, 0.5, 0.8}) {
        const double below = (samples[b] < end).to(torch::kFloat64).mean().item<double>();
        const double mass = density[b].slice(0, 0, static_cast<std::int64_t>(end * cells)).sum().item<double>() / cells;
        EXPECT_NEAR(below, mass, 5 * 0.5 / std::sqrt(count) + 0.005) << one.kind << " " << one.support;
      }
    EXPECT_GT((samples[0].mean() - samples[1].mean()).abs().item<double>(), 1e-4);
  }
}

// Two targets, of which only the first is periodic.
TEST(TurnedHead, LeavesOtherTargetsAlone) {
  const torch::NoGradGuard no_grad;
  for (const TurnedCase& one : kTurnedCases) {
    const auto head = turned_head(one, 2);
    const torch::Tensor context = at::full({5, 3}, 0.3F);
    at::Generator generator = at::detail::createCPUGenerator(4);
    const torch::Tensor theta = at::rand({5, 2}, generator), log = head->log_prob(theta, context);
    torch::Tensor turned = theta.clone();
    turned.select(1, 0) += 1;
    EXPECT_TRUE(at::allclose(head->log_prob(turned, context), log, 1e-2, 1e-2)) << one.kind << " " << one.support;
    EXPECT_TRUE(at::allclose(head->log_prob_grid(theta.unsqueeze(1), context).squeeze(1), log, 1e-4, 1e-4));
    EXPECT_EQ(head->sample(context, 7, 1).sizes(), (std::vector<std::int64_t>{5, 7, 2}));
    const double end = kEndless;
    const torch::Tensor low = torch::tensor({{-end, -end}}, torch::kFloat64), high = -low;
    if (std::string(one.support) == "real")
      EXPECT_NEAR(head->log_mass(context.slice(0, 0, 1), low, high).item<double>(), 0, 1e-6) << one.kind;
  }
}

// It learns directions whose posterior lies across the cut as well as any other, from the density and the unit vector.
TEST(TurnedHead, LearnsTheDirection) {
  const auto head = make_head(
      [] {
        HeadConfig config;
        config.of<SplineHead::Settings>() = {
            .transforms = 2, .bins = 8, .hidden = 32, .context_layers = 1, .blocks = 1, .support = "box"};
        return config;
      }(),
      std::vector{HeadTarget{.low = 0, .high = 1, .location = 0.5, .scale = 0.3, .periodic = true}}, 2,
      at::detail::createCPUGenerator(7));
  // The context is the direction with normal noise of 0.05 turns.
  constexpr double noise = 0.05;
  at::Generator generator = at::detail::createCPUGenerator(3);
  const auto batch = [&](std::int64_t count) {
    const torch::Tensor theta = at::rand({count, 1}, generator);
    const torch::Tensor seen = (theta + noise * at::randn({count, 1}, generator)) * (2 * M_PI);
    return std::pair(theta, at::cat({seen.cos(), seen.sin()}, 1));
  };
  head->train();
  AdamW optimizer(head->parameters(), {});
  for (int step = 0; step < 800; ++step) {
    const auto [theta, context] = batch(512);
    optimizer.zero_grad();
    (head->loss(theta, context) + head->auxiliary_loss(theta, context)).backward();
    for (const torch::Tensor& p : head->parameters())
      if (p.grad().defined()) ASSERT_TRUE(p.grad().isfinite().all().item<bool>()) << step;
    optimizer.step(step < 600 ? 3e-3 : 3e-4);
  }
  head->eval();
  const torch::NoGradGuard no_grad;
  const auto [theta, context] = batch(20000);
  const double best = 0.5 * std::log(2 * M_PI * M_E * noise * noise);
  EXPECT_NEAR(head->loss(theta, context).item<double>(), best, 0.03);
  const torch::Tensor across = (theta < 0.03).logical_or(theta > 0.97).squeeze(1).nonzero().squeeze(1);
  EXPECT_NEAR(head->loss(theta.index_select(0, across), context.index_select(0, across)).item<double>(), best, 0.1);
}

// Standardized aggregates give what raw ones gave.
TEST(TurnedHead, AbsorbsAnAffineMapOfTheContext) {
  const torch::NoGradGuard no_grad;
  for (const TurnedCase& one : kTurnedCases) {
    const auto head = turned_head(one, 1);
    at::Generator generator = at::detail::createCPUGenerator(4);
    const torch::Tensor theta = at::rand({9, 1}, generator), context = at::randn({9, 3}, generator);
    const torch::Tensor before = head->log_prob(theta, context);
    const torch::Tensor scale = torch::tensor({2.0, 0.5}, torch::kFloat64),
                        shift = torch::tensor({-1.0, 3.0}, torch::kFloat64);
    head->absorb_context_affine(scale, shift);
    torch::Tensor moved = context.clone();
    moved.slice(1, 0, 2).copy_(context.slice(1, 0, 2) * scale + shift);
    EXPECT_TRUE(at::allclose(head->log_prob(theta, moved), before, 1e-3, 1e-3)) << one.kind << " " << one.support;
  }
}

// A regression on squared errors knows nothing of circles.
TEST(TurnedHead, NeedsADensity) {
  HeadConfig config;
  config.kind = "gaussian";
  HeadTarget circle{-kEndless, kEndless};
  circle.periodic = true;
  EXPECT_THROW(make_head(config, std::vector{circle}, 3, at::detail::createCPUGenerator(7)), Error);
}

}  // namespace
}  // namespace pairs
