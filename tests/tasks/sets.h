#pragma once

#include <ATen/ops/cat.h>
#include <ATen/ops/equal.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "core/base/gpu/transfer.h"
#include "core/input_scale.h"
#include "core/task.h"

namespace pairs::testing {

inline Latents latents_of(const Task& task, std::uint64_t seed, Purpose purpose, std::int64_t first,
                          std::int64_t sets) {
  std::vector<std::int64_t> indices(static_cast<std::size_t>(sets));
  std::iota(indices.begin(), indices.end(), first);
  return task.latents(seed, purpose, indices);
}

// Observations 0 .. n - 1 of consecutive sets -> [sets, n, ...].
inline torch::Tensor sets_of(const Task& task, const Latents& latents, std::uint64_t seed, Purpose purpose,
                             std::int64_t first, std::int64_t n) {
  std::vector<SetRange> ranges;
  for (std::int64_t k = 0; k < latents.theta.size(0); ++k) ranges.push_back({first + k, 0, n});
  const torch::Tensor x = task.observe(latents, seed, purpose, ranges, torch::kCPU);
  std::vector<std::int64_t> shape = {latents.theta.size(0), n};
  const auto rest = task.info().observation_shape;
  shape.insert(shape.end(), rest.begin(), rest.end());
  return x.view(shape);
}

// What every task promises: latents depend on the index alone; observations on (seed, purpose, set, item) alone.
inline void expect_addressable(const Task& task) {
  const std::uint64_t seed = 5;
  const Latents all = latents_of(task, seed, Purpose::pretrain, 3, 4);
  const std::int64_t shuffled[4] = {6, 4, 3, 5};
  const Latents other = task.latents(seed, Purpose::pretrain, shuffled);
  for (int k = 0; k < 4; ++k) {
    EXPECT_TRUE(at::equal(other.theta[k], all.theta[shuffled[k] - 3]));
    EXPECT_TRUE(at::equal(other.psi[k], all.psi[shuffled[k] - 3]));
  }
  EXPECT_FALSE(at::equal(latents_of(task, seed, Purpose::test, 3, 4).theta, all.theta));
  EXPECT_FALSE(at::equal(latents_of(task, seed + 1, Purpose::pretrain, 3, 4).theta, all.theta));

  const std::int64_t n = 1300;  // longer than one block of counters
  const torch::Tensor whole = sets_of(task, all, seed, Purpose::pretrain, 3, n);
  EXPECT_TRUE(at::equal(sets_of(task, all, seed, Purpose::pretrain, 3, n - 1), whole.slice(1, 0, n - 1)));

  // Other chunks, other order, an empty range among them.
  const SetRange ranges[6] = {{6, 700, 600}, {4, 0, 1}, {4, 1, 0}, {4, 1, 17}, {3, 1299, 1}, {6, 3, 2}};
  std::vector<torch::Tensor> theta, psi, expected;
  for (const SetRange& r : ranges) {
    theta.push_back(all.theta[r.index - 3].unsqueeze(0));
    psi.push_back(all.psi[r.index - 3].unsqueeze(0));
    expected.push_back(whole[r.index - 3].slice(0, r.first, r.first + r.count));
  }
  const torch::Tensor pieces =
      task.observe({at::cat(theta), at::cat(psi)}, seed, Purpose::pretrain, ranges, torch::kCPU);
  EXPECT_TRUE(at::equal(pieces, at::cat(expected)));
  EXPECT_FALSE(at::equal(sets_of(task, all, seed, Purpose::test, 3, 5), whole.slice(1, 0, 5)));
  EXPECT_EQ(pieces.scalar_type(), standardizes_input(task) ? torch::kFloat64 : torch::kFloat32);

  const SetRange negative[1] = {{3, -1, 2}};
  EXPECT_THROW(task.observe({theta[0], psi[0]}, seed, Purpose::test, negative, torch::kCPU), std::exception);
  EXPECT_THROW(task.observe({theta[0], psi[0]}, seed, Purpose::test, ranges, torch::kCPU), std::exception);
}

inline void expect_described(const Task& task) {
  const TaskInfo& info = task.info();
  const Latents latents = latents_of(task, 1, Purpose::test, 0, 3);
  EXPECT_EQ(latents.theta.size(1), static_cast<std::int64_t>(info.targets.size()));
  EXPECT_EQ(latents.psi.size(1), static_cast<std::int64_t>(info.nuisances.size()));
  EXPECT_FALSE(info.title.empty() || info.summary.empty() || info.theta_text.empty() || info.psi_text.empty() ||
               info.x_text.empty() || info.data_source.empty());
  for (const Target& t : info.targets) {
    EXPECT_GT(t.scale, 0.0);
    EXPECT_GT(t.range, 0.0);
    EXPECT_LT(t.view_low, t.view_high);
    EXPECT_LT(t.low, t.high);
  }
}

// Largest distance between the empirical distribution of the values and `cdf`, times √n (Kolmogorov: above 1.95 with
// probability 0.001).
template <class Cdf>
double kolmogorov(std::vector<double> values, Cdf cdf) {
  std::sort(values.begin(), values.end());
  const auto n = static_cast<double>(values.size());
  double distance = 0.0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double f = cdf(values[i]);
    distance = std::max({distance, f - static_cast<double>(i) / n, static_cast<double>(i + 1) / n - f});
  }
  return distance * std::sqrt(n);
}

}  // namespace pairs::testing
