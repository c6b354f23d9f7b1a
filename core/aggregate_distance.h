#pragma once

#include <torch/types.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "core/estimator.h"

namespace pairs {

// Converts a distance to the share of training sets that lie nearer, from the 101 percentiles that a run records. The
// record ends in two numbers beyond the 98th percentile, of which the last is a single sample. Above the 98th
// percentile the share follows a generalized Pareto distribution (Pickands 1975), fitted by maximum likelihood to the
// ten bins above the 90th percentile and scaled to match the record at the 98th.
class DistanceRecord {
 public:
  explicit DistanceRecord(const torch::Tensor& percentiles);  // [101] float64, ascending
  // In percent, 0 to 100; 100 only beyond the end of a bounded tail.
  double percentile(double distance) const;
  // The shape of the fitted tail: 0 is exponential, positive values are heavier.
  double shape() const { return shape_; }

 private:
  double beyond(double distance) const;  // share of the distances above the 90th percentile that are larger

  std::vector<double> percentiles_;
  double shape_ = 0, scale_ = 0;  // scale_ 0: the percentiles have no tail to fit
};

// Distances of aggregates from those of training. Whatever depends only on the set size is computed once and cached.
// Thread-safe.
class AggregateDistance {
 public:
  AggregateDistance(AggregateStatistics statistics, std::shared_ptr<const Pool> pool)
      : statistics_(std::move(statistics)), pool_(std::move(pool)) {}

  // See Estimator::typicality.
  Estimator::Typicality of(const torch::Tensor& aggregates, const torch::Tensor& n);

 private:
  // The lower Cholesky factor of the covariance at this size [l, l]. Throws Error if there is none.
  torch::Tensor factor(std::int64_t n);

  const DistanceRecord& record();

  AggregateStatistics statistics_;
  std::shared_ptr<const Pool> pool_;
  std::mutex mutex_;
  std::optional<DistanceRecord> record_;           // set on first use
  std::map<std::int64_t, torch::Tensor> factors_;  // by set size
};

}  // namespace pairs
