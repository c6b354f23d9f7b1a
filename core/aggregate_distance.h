#pragma once

#include <torch/types.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "core/estimator.h"

namespace pairs {

// The share of training sets that lie nearer than a distance, by the 101 percentiles that a run keeps. Beyond the 98th
// percentile the record holds two numbers, of which the last is a single draw: there the share follows a generalized
// Pareto distribution (Pickands 1975), fitted to the distances above the 90th percentile by the likelihood of their ten
// bins, and scaled to meet the record at the 98th.
class DistanceRecord {
 public:
  explicit DistanceRecord(const torch::Tensor& percentiles);  // [101] float64, ascending
  // In percent, 0 to 100; 100 only beyond the end of a tail that has one.
  double percentile(double distance) const;
  // The shape of the fitted tail: 0 is exponential, above it heavier.
  double shape() const { return shape_; }

 private:
  double beyond(double distance) const;  // share of the distances above the 90th percentile that lie farther

  std::vector<double> percentiles_;
  double shape_ = 0, scale_ = 0;  // scale_ 0: the percentiles have no tail to fit
};

// How aggregates stand among those of training. What depends on the set size alone is worked out once and kept. From
// any thread.
class AggregateDistance {
 public:
  explicit AggregateDistance(AggregateStatistics statistics) : statistics_(std::move(statistics)) {}

  // As Estimator::typicality.
  Estimator::Typicality of(const torch::Tensor& aggregates, const torch::Tensor& n);

 private:
  // Lower Cholesky factor of the covariance at this size [l, l]. Throws Error where there is none.
  torch::Tensor factor(std::int64_t n);

  const DistanceRecord& record();

  AggregateStatistics statistics_;
  std::mutex mutex_;
  std::optional<DistanceRecord> record_;           // once asked for
  std::map<std::int64_t, torch::Tensor> factors_;  // by size
};

}  // namespace pairs
