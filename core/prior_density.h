#pragma once

#include <torch/types.h>

#include <cstdint>

#include "core/prior_family.h"
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

// The task's log prior density at theta [S, d]; undefined if it is not known. Where the task states the priors of all
// its targets, it is that of independent targets.
torch::Tensor log_prior(const Task& task, const torch::Tensor& theta);

// Whether the task states the priors of all its targets and nuisances.
bool states_priors(const TaskInfo& info);

// How far draws [S] of a parameter are from a prior. Where the distance between the distribution functions is largest
// (Kolmogorov and Smirnov), times √S: beyond 1.95 with probability 0.001, and beyond 2.3 with 0.00005. And by their
// levels F, which are uniform under it: the means of 2 F - 1 and of |2 F - 1|, as deviations in standard errors. They
// are above 0 for draws that lie too high, and for draws that are too wide.
struct PriorDistance {
  double distance = 0;
  double at = 0, below = 0, expected = 0;  // the share of the draws below `at`, and that of the prior
  double location_z = 0, width_z = 0;
};
PriorDistance prior_distance(const torch::Tensor& draws, const PriorFamily& prior);

// The column of `others` [S, k] with which values [S] have a rank correlation beyond 4 standard errors, the largest
// one; -1: none.
std::int64_t correlated_column(const torch::Tensor& values, const torch::Tensor& others);

// The log density of a prior that is uniform within the finite bounds of every target.
torch::Tensor uniform_log_prior(const TaskInfo& info, const torch::Tensor& theta);

}  // namespace pairs
