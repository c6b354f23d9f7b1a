#pragma once

#include <torch/types.h>

#include <cstdint>

#include "app/kinds/sample_plot.h"
#include "app/model/posterior/posterior.h"
#include "core/nuisance_posterior.h"
#include "core/report/figure.h"
#include "core/task.h"

namespace pairs::model {

// How many draws of (θ, ψ) a check simulates at.
inline constexpr std::int64_t kReplicates = 200;

// theta [kReplicates, d] float64 on the CPU, draws of the posterior given the observations x [N, ...], and p(ψ | θ, X)
// of the same; `role` colours what is simulated, `seed` picks the draw that the likelihood is asked at. For points that
// have a density.
PredictiveCheck predictive_check(const Task& task, const NuisancePosterior& nuisance, const torch::Tensor& theta,
                                 const torch::Tensor& x, const SampleView& view, SeriesRole role, std::uint64_t seed);

}  // namespace pairs::model
