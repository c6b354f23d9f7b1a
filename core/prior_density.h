#pragma once

#include <torch/types.h>

#include "core/task.h"

namespace pairs {

// A task that knows the prior density of its targets, the nuisances integrated out.
class HasPriorDensity {
 public:
  virtual ~HasPriorDensity() = default;
  // The log density at theta [S, d] float64 in original units -> [S] float64, minus infinity outside the support;
  // undefined if the task's settings leave no closed form.
  virtual torch::Tensor log_prior(const torch::Tensor& theta) const = 0;
};

// The task's log prior density at theta [S, d]; undefined if it is not known.
torch::Tensor log_prior(const Task& task, const torch::Tensor& theta);

// The log density of a prior that is uniform within the finite bounds of every target.
torch::Tensor uniform_log_prior(const TaskInfo& info, const torch::Tensor& theta);

}  // namespace pairs
