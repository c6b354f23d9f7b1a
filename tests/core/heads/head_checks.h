#pragma once

#include <ATen/CPUGeneratorImpl.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "core/heads/head.h"

namespace pairs::testing_heads {

using torch::Tensor;

inline std::shared_ptr<Head> build(const HeadConfig& config, std::int64_t d, std::int64_t context,
                                   std::uint64_t seed = 3) {
  const double inf = std::numeric_limits<double>::infinity();
  const std::vector<HeadTarget> targets(static_cast<std::size_t>(d),
                                        confines(config) ? HeadTarget{0, 1} : HeadTarget{-inf, inf});
  auto head = make_head(config, targets, context, at::detail::createCPUGenerator(seed));
  head->eval();
  return head;
}

// Scales every weight by `factor` and gives the zero-initialized ones random values of size `fresh`.
inline void sharpen(Head& head, double factor, double fresh) {
  torch::NoGradGuard no_grad;
  auto generator = at::detail::createCPUGenerator(11);
  for (auto& p : head.parameters()) {
    const bool zero = p.abs().max().item<double>() == 0;
    if (zero)
      p.copy_(fresh * torch::randn(p.sizes(), generator, torch::kDouble));
    else
      p.mul_(factor);
  }
}

inline Tensor random(at::IntArrayRef shape, std::uint64_t seed) {
  return torch::randn(shape, at::detail::createCPUGenerator(seed), torch::kDouble);
}

// The box that holds practically all of a head's mass at one context: its draws and a margin. Rows low, high: [2, d].
inline Tensor spread(Head& head, const Tensor& context) {
  const Tensor draws = head.sample(context, 1000, 17)[0];
  const Tensor low = draws.amin(0), high = draws.amax(0), margin = 0.7 * (high - low);
  return torch::stack({low - margin, high + margin});
}

// ∫ exp(log q) by the midpoint rule over `box` [2, d] for one context, d = 1 or 2, `side` points a dimension.
inline double mass(Head& head, const Tensor& context, const Tensor& box, std::int64_t side) {
  const Tensor low = box[0], step = (box[1] - low) / static_cast<double>(side);
  const Tensor axis = torch::arange(side, context.options()) + 0.5;
  const Tensor cells =
      low.size(0) == 1 ? axis.unsqueeze(1) : torch::stack({axis.repeat_interleave(side), axis.repeat({side})}, 1);
  const Tensor log_q = head.log_prob_grid((low + cells * step).unsqueeze(0), context);
  return (log_q.to(torch::kDouble).exp().sum() * step.to(torch::kDouble).prod()).item<double>();
}

// Central differences against autograd in float64: every parameter (at most `most` entries each), θ and the context.
// Relative to the larger of one and the gradient.
inline void check_gradients(Head& head, const Tensor& theta0, const Tensor& context0, std::int64_t most = 6,
                            double tolerance = 1e-6) {
  const Tensor theta = theta0.clone().requires_grad_(), context = context0.clone().requires_grad_();
  std::vector<std::pair<std::string, Tensor>> leaves = {{"theta", theta}, {"context", context}};
  for (auto& p : head.named_parameters()) leaves.emplace_back(p.key(), p.value());
  const auto value = [&] { return head.log_prob(theta, context).sum(); };
  value().backward();
  const double h = 1e-6;
  for (auto& [name, leaf] : leaves) {
    ASSERT_TRUE(leaf.grad().defined()) << name << " has no gradient";
    const Tensor grad = leaf.grad().clone().flatten();
    torch::NoGradGuard no_grad;
    Tensor flat = leaf.detach().view({-1});
    const std::int64_t stride = std::max<std::int64_t>(1, flat.numel() / most);
    for (std::int64_t i = 0; i < flat.numel(); i += stride) {
      const double at = flat[i].item<double>();
      const auto shifted = [&](double by) {
        flat[i] = at + by;
        return value().item<double>();
      };
      const double numeric = (shifted(h) - shifted(-h)) / (2 * h), analytic = grad[i].item<double>();
      flat[i] = at;
      EXPECT_NEAR(numeric, analytic, tolerance * std::max(1.0, std::abs(analytic))) << name << " entry " << i;
    }
  }
}

// Largest distance between the empirical distribution of samples [S] and a distribution function.
inline double ks_distance(const Tensor& samples, const std::function<Tensor(const Tensor&)>& cdf) {
  const Tensor sorted = std::get<0>(samples.flatten().to(torch::kDouble).sort());
  const double n = static_cast<double>(sorted.size(0));
  const Tensor f = cdf(sorted), rank = torch::arange(sorted.size(0), torch::kDouble);
  return std::max((f - rank / n).max().item<double>(), ((rank + 1) / n - f).max().item<double>());
}

// The distribution function of a one-target head at sorted points, by integrating its density from `low`.
inline Tensor cdf_1d(Head& head, const Tensor& context, const Tensor& sorted, double low, double high) {
  const std::int64_t points = 40000;
  const double step = (high - low) / static_cast<double>(points);
  const Tensor grid = ((torch::arange(points, torch::kDouble) + 0.5) * step + low).to(context.options());
  const Tensor p =
      head.log_prob_grid(grid.view({1, points, 1}), context).view({points}).to(torch::kDouble).exp() * step;
  const Tensor edges = torch::cat({torch::zeros({1}, torch::kDouble), p.cumsum(0)});
  const Tensor at = ((sorted - low) / step).clamp(0, static_cast<double>(points) - 1e-9), cell = at.floor();
  const Tensor left = edges.index_select(0, cell.to(torch::kLong));
  return left + (at - cell) * p.index_select(0, cell.to(torch::kLong));
}

// head'(scale c + shift) = head(c) for context columns 0 .. k - 1.
inline void check_absorb(Head& head, const Tensor& theta, const Tensor& context, std::int64_t k) {
  torch::NoGradGuard no_grad;
  const Tensor before = head.log_prob(theta, context);
  const Tensor scale = 0.5 + 3 * torch::rand({k}, at::detail::createCPUGenerator(5), torch::kDouble);
  const Tensor shift = random({k}, 6);
  scale[0] = -0.01;
  head.absorb_context_affine(scale, shift);
  Tensor moved = context.clone();
  moved.narrow(1, 0, k).mul_(scale).add_(shift);
  const Tensor after = head.log_prob(theta, moved);
  const double tolerance = context.scalar_type() == torch::kDouble ? 1e-9 : 1e-3;
  EXPECT_LT((after - before).abs().max().item<double>(), tolerance);
  EXPECT_GT((head.log_prob(theta, context) - before).abs().max().item<double>(), 1e-3);  // it did change something
}

}  // namespace pairs::testing_heads
