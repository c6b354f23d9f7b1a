#pragma once

#include <torch/types.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>

#include "app/kinds/sample_plot.h"
#include "core/nuisance_posterior.h"
#include "core/report/figure.h"
#include "core/task.h"

namespace pairs {

// An observed set compared with simulations at samples of its posterior p(θ, ψ | X).
struct PredictiveCheck {
  std::shared_ptr<const Figure> figure;
  double point = NAN;    // rank of its log likelihood at one sample among sets of the model: see likelihood_point
  std::string line;      // the result as text
  bool extreme = false;  // such a set is very unlikely under the model
  std::string note;      // the method, and how to read the figure
};

// The number of samples of (θ, ψ) at which a check simulates.
inline constexpr std::int64_t kReplicates = 200;

// theta [kReplicates, d] float64 on the CPU: posterior samples given the observations x [N, ...], with p(ψ | θ, X) of
// the same. `role`: the color of simulations. The likelihood is evaluated at the sample `asked` [1, d], by default at
// the row of theta that `seed` picks. For points that have a density.
PredictiveCheck predictive_check(const Task& task, const NuisancePosterior& nuisance, const torch::Tensor& theta,
                                 const Observations& x, const SampleView& view, SeriesRole role, std::uint64_t seed,
                                 const torch::Tensor& asked = {});

}  // namespace pairs
