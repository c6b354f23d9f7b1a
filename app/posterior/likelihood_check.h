#pragma once

#include <torch/types.h>

#include <cstdint>
#include <optional>

#include "core/task.h"

namespace pairs {

// Where the log likelihood Σ log p(x_i | θ, ψ) of the observations x [N, ...] lies among those of sets that the model
// makes at the same θ and ψ: the probability that such a set is less likely than the observed one. With (θ, ψ) drawn
// from the exact posterior it is uniform on (0, 1) over sets of the model, whatever N; near 0 the observations are less
// likely than the model's own, near 1 more likely. Up to 250 observations among 999 sets; beyond, as sums of so many
// are normal, by mean and sd of 50,000 observations of the model. `latents` are one row; nothing where the task has no
// density. `seed` decides on the sets.
std::optional<double> likelihood_point(const Task& task, const Latents& latents, const Observations& x,
                                       std::uint64_t seed);

// Beyond these points of the likelihood a set of the model falls once in a hundred.
inline constexpr double kUnlikely = 0.005, kTooLikely = 0.995;

}  // namespace pairs
