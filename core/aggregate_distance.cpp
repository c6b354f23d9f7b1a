#include "core/aggregate_distance.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/base/gpu/transfer.h"
#include "core/base/text/error.h"
#include "core/base/threads/one_thread.h"

namespace pairs {
namespace {

constexpr std::int64_t kKept = 64 << 20;  // bytes of factors

constexpr std::size_t kTailFrom = 90, kTailUsed = 98, kTailEnd = 99;  // percentiles
constexpr double kLeastShape = -0.5, kMostShape = 2;

// Survival function of a generalized Pareto distribution with scale 1.
double pareto_beyond(double x, double shape) {
  if (std::abs(shape) < 1e-9) return std::exp(-x);
  const double base = 1 + shape * x;
  return base <= 0 ? 0 : std::pow(base, -1 / shape);
}

// The largest value of a unimodal `f` between two bounds, and where it is.
template <class F>
std::pair<double, double> peak_of(double low, double high, F&& f) {
  constexpr double kGolden = 0.6180339887498949;
  double a = high - kGolden * (high - low), b = low + kGolden * (high - low), of_a = f(a), of_b = f(b);
  for (int step = 0; step < 60; ++step) {
    if (of_a > of_b) {
      high = b, b = a, of_b = of_a;
      a = high - kGolden * (high - low), of_a = f(a);
    } else {
      low = a, a = b, of_a = of_b;
      b = low + kGolden * (high - low), of_b = f(b);
    }
  }
  return {std::max(of_a, of_b), of_a > of_b ? a : b};
}

}  // namespace

DistanceRecord::DistanceRecord(const torch::Tensor& percentiles) : percentiles_(doubles(percentiles)) {
  PAIRS_CHECK(percentiles_.size() == 101, "A record of distances holds 101 percentiles, not {}", percentiles_.size());
  const double from = percentiles_[kTailFrom], spread = percentiles_[kTailEnd] - from;
  if (!(spread > 0) || !std::isfinite(spread)) return;
  // Each of the nine bins between two percentiles, and the range beyond the last, holds one distance in a hundred.
  const auto likelihood = [&](double shape, double log_scale) {
    const double scale = spread * std::exp(log_scale);
    double sum = 0, above = 1;
    for (std::size_t k = kTailFrom + 1; k <= kTailEnd; ++k) {
      const double beyond = pareto_beyond((percentiles_[k] - from) / scale, shape);
      sum += std::log(std::max(above - beyond, 1e-12));
      above = beyond;
    }
    return sum + std::log(std::max(above, 1e-12));
  };
  double best_scale = 0;
  const auto profile = [&](double shape) {
    const auto [value, log_scale] = peak_of(-5, 3, [&](double at) { return likelihood(shape, at); });
    best_scale = spread * std::exp(log_scale);
    return value;
  };
  shape_ = peak_of(kLeastShape, kMostShape, profile).second;
  profile(shape_);
  scale_ = best_scale;
}

double DistanceRecord::beyond(double distance) const {
  return pareto_beyond((distance - percentiles_[kTailFrom]) / scale_, shape_);
}

double DistanceRecord::percentile(double distance) const {
  const std::vector<double>& q = percentiles_;
  if (!(distance >= q.front())) return 0;
  const std::size_t last = scale_ > 0 ? kTailUsed : q.size() - 1;
  if (distance < q[last]) {
    const auto above = static_cast<std::size_t>(std::upper_bound(q.begin(), q.end(), distance) - q.begin());
    return static_cast<double>(above - 1) + (distance - q[above - 1]) / std::max(q[above] - q[above - 1], 1e-300);
  }
  if (scale_ == 0) return 100;
  const double there = beyond(q[kTailUsed]);
  return 100 - (100 - static_cast<double>(kTailUsed)) * (there > 0 ? beyond(distance) / there : 0);
}

const DistanceRecord& AggregateDistance::record() {
  const std::lock_guard lock(mutex_);
  if (!record_) record_.emplace(statistics_.distance);
  return *record_;
}

torch::Tensor AggregateDistance::factor(std::int64_t n) {
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = factors_.find(n); known != factors_.end()) return known->second;
  }
  const torch::Tensor covariance = pool_->spread(statistics_.between, statistics_.within, static_cast<double>(n));
  // A ridge of 1e-6 of each variance: directions without information must not dominate the distance.
  const torch::Tensor ridge = at::diag(covariance.diagonal() * 1e-6 + 1e-30);
  const auto [factor, failed] = at::linalg_cholesky_ex(covariance + ridge);
  PAIRS_CHECK(failed.item<int>() == 0,
              "This estimator's record of its training aggregates holds no covariance at N = {}, so how typical a set "
              "is cannot be computed; its file is damaged or its training diverged: finetune it again",
              n);
  const std::lock_guard lock(mutex_);
  if (static_cast<std::int64_t>(factors_.size() + 1) * static_cast<std::int64_t>(factor.nbytes()) > kKept)
    factors_.clear();
  return factors_.try_emplace(n, factor).first->second;
}

Estimator::Typicality AggregateDistance::of(const torch::Tensor& aggregates, const torch::Tensor& n) {
  const OneThread one_thread;  // the number of threads affects how a sum is rounded
  const torch::Tensor host_n = n.to(torch::kCPU);
  const torch::Tensor centered = aggregates.to(torch::kCPU, torch::kFloat64) - statistics_.mean;
  const std::int64_t rows = centered.size(0);
  torch::Tensor distance = torch::empty({rows}, torch::kFloat64);
  std::map<std::int64_t, std::vector<std::int64_t>> by_size;
  for (std::int64_t i = 0; i < rows; ++i) by_size[host_n[i].item<std::int64_t>()].push_back(i);
  for (const auto& [size, members] : by_size) {
    const torch::Tensor index = torch::tensor(members, torch::kInt64);
    const torch::Tensor white = at::linalg_solve_triangular(factor(size), centered.index_select(0, index).t(), false);
    distance.index_put_({index}, white.square().sum(0).sqrt());
  }
  torch::Tensor percentile = torch::full({rows}, NAN, torch::kFloat64);
  if (statistics_.distance.defined() && statistics_.distance.numel() > 1) {
    const DistanceRecord& known = record();
    for (std::int64_t i = 0; i < rows; ++i) percentile[i] = known.percentile(distance[i].item<double>());
  }
  return {distance, percentile};
}

}  // namespace pairs
