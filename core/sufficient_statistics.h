#pragma once

#include <torch/types.h>

#include <string>
#include <vector>

#include "core/base/fields/face.h"
#include "core/sets/observations.h"

namespace pairs {

// A task with known statistics t(x) of one observation whose mean over a set, together with N, is sufficient for the
// posterior of θ at every N, the nuisances integrated out (paper, assumption M of the theorem).
class HasSufficientStatistics {
 public:
  virtual ~HasSufficientStatistics() = default;
  // Readable names of the d statistics: "x₁²". Empty if none are known.
  virtual std::vector<std::string> statistic_names() const = 0;
  // t of M observations, float32 or float64 on the CPU -> [M, d] float64.
  virtual torch::Tensor statistics(const Observations& x) const = 0;
};

// A task's sufficient statistics; null if it knows none.
template <class Task>
const HasSufficientStatistics* sufficient_statistics_of(const Task& task) {
  const auto* const knows = face<HasSufficientStatistics>(task);
  return knows && !knows->statistic_names().empty() ? knows : nullptr;
}

}  // namespace pairs
