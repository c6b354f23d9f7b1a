#pragma once

#include <torch/types.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "core/task.h"

namespace pairs {

// A density of one number on equal cells: its values at their middles.
struct CellDensity {
  double low = 0, high = 1;
  std::vector<double> density;
};

// The kernel estimate of the density that some draws come from, with Silverman's width.
CellDensity kernel_density(std::vector<double> draws);

// p(ψ | θ, X): the posterior of the nuisance parameters of one set were its targets known. Averaged over draws of
// p(θ | X) it is the posterior of ψ, p(ψ | X) (Rao-Blackwell), and a draw at a draw of θ is one of p(θ, ψ | X). Targets
// outside the prior's support count as the nearest inside it.
class NuisancePosterior {
 public:
  virtual ~NuisancePosterior() = default;
  // One draw of ψ at every row of theta [S, d] -> [S, p] float64.
  virtual torch::Tensor sample(const torch::Tensor& theta, Stream& stream) const = 0;
  // Component k of ψ, averaged over the rows of theta [S, d]; cells cover all but a negligible part.
  virtual CellDensity marginal(const torch::Tensor& theta, std::int64_t k) const = 0;
};

// A task that also knows p(ψ | θ, X).
class InfersNuisances {
 public:
  virtual ~InfersNuisances() = default;
  // Of the set x of N >= 1 observations, float32 or float64, on the CPU.
  virtual std::unique_ptr<NuisancePosterior> nuisance_posterior(const Observations& x) const = 0;
};

// p(ψ | θ, X) of the set x; null where the task does not know it.
std::unique_ptr<NuisancePosterior> nuisance_posterior(const Task& task, const Observations& x);

}  // namespace pairs
