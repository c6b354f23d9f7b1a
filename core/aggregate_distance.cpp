#include "core/aggregate_distance.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/error.h"

namespace pairs {
namespace {

constexpr std::int64_t kKept = 64 << 20;  // bytes of factors

// The share of training sets, in percent, that lie closer than `distance`, by a table of percentiles.
double percentile_in(const torch::Tensor& table, double distance) {
  const double* q = table.const_data_ptr<double>();
  const auto last = static_cast<std::size_t>(table.numel() - 1);
  const auto above = static_cast<std::size_t>(std::upper_bound(q, q + last + 1, distance) - q);
  double share = 0;
  if (above > last)
    share = static_cast<double>(last);
  else if (above > 0)
    share = static_cast<double>(above - 1) + (distance - q[above - 1]) / std::max(q[above] - q[above - 1], 1e-300);
  return 100.0 * share / static_cast<double>(last);
}

}  // namespace

torch::Tensor AggregateDistance::factor(std::int64_t n) {
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = factors_.find(n); known != factors_.end()) return known->second;
  }
  const torch::Tensor covariance = statistics_.between + statistics_.within / static_cast<double>(n);
  // A ridge of 1e-6 of each variance: directions that carry nothing must not dominate the distance.
  const torch::Tensor ridge = at::diag(covariance.diagonal() * 1e-6 + 1e-30);
  const auto [factor, failed] = at::linalg_cholesky_ex(covariance + ridge);
  PAIRS_CHECK(failed.item<int>() == 0,
              "This estimator's record of its training aggregates holds no covariance at N = {}, so how typical a set "
              "is cannot be told; its file is damaged or its training diverged: finetune it again",
              n);
  const std::lock_guard lock(mutex_);
  if (static_cast<std::int64_t>(factors_.size() + 1) * static_cast<std::int64_t>(factor.nbytes()) > kKept)
    factors_.clear();
  return factors_.try_emplace(n, factor).first->second;
}

Estimator::Typicality AggregateDistance::of(const torch::Tensor& aggregates, const torch::Tensor& n) {
  const torch::Tensor host_n = n.to(torch::kCPU);
  const torch::Tensor centred = aggregates.to(torch::kCPU, torch::kFloat64) - statistics_.mean;
  const std::int64_t rows = centred.size(0);
  torch::Tensor distance = torch::empty({rows}, torch::kFloat64);
  std::map<std::int64_t, std::vector<std::int64_t>> by_size;
  for (std::int64_t i = 0; i < rows; ++i) by_size[host_n[i].item<std::int64_t>()].push_back(i);
  for (const auto& [size, members] : by_size) {
    const torch::Tensor index = torch::tensor(members, torch::kInt64);
    const torch::Tensor white = at::linalg_solve_triangular(factor(size), centred.index_select(0, index).t(), false);
    distance.index_put_({index}, white.square().sum(0).sqrt());
  }
  torch::Tensor percentile = torch::full({rows}, NAN, torch::kFloat64);
  if (statistics_.distance.defined() && statistics_.distance.numel() > 1) {
    const torch::Tensor table = statistics_.distance.contiguous();
    for (std::int64_t i = 0; i < rows; ++i) percentile[i] = percentile_in(table, distance[i].item<double>());
  }
  return {distance, percentile};
}

}  // namespace pairs
