#pragma once

#include <torch/types.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "core/task.h"

namespace pairs {

// A density of one number on equal cells: its values at the midpoints of the cells.
struct CellDensity {
  double low = 0, high = 1;
  std::vector<double> density;
};

// A kernel density estimate from samples, with Silverman's bandwidth.
CellDensity kernel_density(std::vector<double> draws);

// p(ψ | θ, X): the posterior of a set's nuisance parameters if its targets were known. Averaged over samples of p(θ |
// X) it is the posterior p(ψ | X) of the nuisances (Rao-Blackwell), and a sample of it at a sample of θ is a sample of
// p(θ, ψ | X). Targets outside the prior's support count as the nearest value inside.
class NuisancePosterior {
 public:
  virtual ~NuisancePosterior() = default;
  // One sample of ψ for every row of theta [S, d] -> [S, p] float64.
  virtual torch::Tensor sample(const torch::Tensor& theta, Stream& stream) const = 0;
  // The density of component k of ψ, averaged over the rows of theta [S, d]; its cells cover all but a negligible part.
  virtual CellDensity marginal(const torch::Tensor& theta, std::int64_t k) const = 0;
};

// A task that also knows p(ψ | θ, X).
class InfersNuisances {
 public:
  virtual ~InfersNuisances() = default;
  // The posterior of the set x of N >= 1 observations, float32 or float64, on the CPU.
  virtual std::unique_ptr<NuisancePosterior> nuisance_posterior(const Observations& x) const = 0;
};

// p(ψ | θ, X) of the set x; null if the task does not know it.
std::unique_ptr<NuisancePosterior> nuisance_posterior(const Task& task, const Observations& x);

}  // namespace pairs
