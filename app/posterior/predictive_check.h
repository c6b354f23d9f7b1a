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

// An observed set beside what the model makes at draws of its posterior p(θ, ψ | X).
struct PredictiveCheck {
  std::shared_ptr<const Figure> figure;
  double point = NAN;    // of its log likelihood at one of the draws, among sets of the model: see likelihood_point
  std::string line;      // says so
  bool extreme = false;  // the model hardly makes such a set
  std::string note;      // how it was made, and what is to be seen
};

// How many draws of (θ, ψ) a check simulates at.
inline constexpr std::int64_t kReplicates = 200;

// theta [kReplicates, d] float64 on the CPU, draws of the posterior given the observations x [N, ...], and p(ψ | θ, X)
// of the same; `role` colours what is simulated, the likelihood is asked at the draw `asked` [1, d], by default at the row
// of theta that `seed` picks. For points that have a density.
PredictiveCheck predictive_check(const Task& task, const NuisancePosterior& nuisance, const torch::Tensor& theta,
                                 const Observations& x, const SampleView& view, SeriesRole role, std::uint64_t seed,
                                 const torch::Tensor& asked = {});

}  // namespace pairs
