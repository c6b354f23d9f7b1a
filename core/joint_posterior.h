#pragma once

#include <torch/types.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/task.h"

namespace pairs {

// The joint posterior density of a set's targets and nuisances, up to a constant factor, in unbounded coordinates u, as
// MCMC samplers need it. Thread-safe.
class JointPosterior {
 public:
  virtual ~JointPosterior() = default;
  // u at the center of the prior.
  virtual std::vector<double> center() const = 0;
  // The log density at u; writes its gradient, of the same length.
  virtual double log_density(std::span<const double> u, std::span<double> gradient) const = 0;
  // Maps coordinates [.., length of u] to targets followed by nuisances [.., d + p], both float64.
  virtual torch::Tensor parameters(const torch::Tensor& u) const = 0;
};

// A task that knows the joint posterior in closed form.
class HasJointPosterior {
 public:
  virtual ~HasJointPosterior() = default;
  // The joint posterior of the set x of N >= 1 observations, float32 or float64, on the CPU.
  virtual std::unique_ptr<JointPosterior> joint_posterior(const Observations& x) const = 0;
};

}  // namespace pairs
