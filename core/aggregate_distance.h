#pragma once

#include <torch/types.h>

#include <cstdint>
#include <map>
#include <mutex>

#include "core/estimator.h"

namespace pairs {

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

  AggregateStatistics statistics_;
  std::mutex mutex_;
  std::map<std::int64_t, torch::Tensor> factors_;  // by size
};

}  // namespace pairs
