#pragma once

#include <torch/types.h>

#include "core/task.h"

namespace pairs {

// A task that knows the prior density of its targets, the nuisances integrated out.
class HasPriorDensity {
 public:
  virtual ~HasPriorDensity() = default;
  // log density at theta [S, d] float64 in original units -> [S] float64, minus infinity outside the support; undefined
  // where its settings leave no closed form.
  virtual torch::Tensor log_prior(const torch::Tensor& theta) const = 0;
};

// log prior density of the task at theta [S, d]; undefined where it knows none.
torch::Tensor log_prior(const Task& task, const torch::Tensor& theta);

// The same of a prior that is uniform between the ends of every target, which are finite.
torch::Tensor uniform_log_prior(const TaskInfo& info, const torch::Tensor& theta);

}  // namespace pairs
