#pragma once

#include <torch/types.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/task.h"

namespace pairs {

// The posterior of targets and nuisances of one set together, up to a constant factor, in coordinates u that no bound
// ends: what a sampler of Markov chains asks. Thread-safe.
class JointPosterior {
 public:
  virtual ~JointPosterior() = default;
  // u at the middle of the prior.
  virtual std::vector<double> centre() const = 0;
  // log density of u; writes its gradient, of the same length.
  virtual double log_density(std::span<const double> u, std::span<double> gradient) const = 0;
  // Coordinates [.., length of u] -> targets and after them nuisances [.., d + p], both float64.
  virtual torch::Tensor parameters(const torch::Tensor& u) const = 0;
};

// A task that knows it in closed form.
class HasJointPosterior {
 public:
  virtual ~HasJointPosterior() = default;
  // Of the set x of N >= 1 observations, float32 or float64, on the CPU.
  virtual std::unique_ptr<JointPosterior> joint_posterior(const Observations& x) const = 0;
};

}  // namespace pairs
