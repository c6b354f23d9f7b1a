#pragma once

#include <torch/types.h>

#include <cstdint>
#include <optional>

#include "core/task.h"

namespace pairs {

// The rank of the log likelihood Σ log p(x_i | θ, ψ) of the observations x [N, ...] among sets simulated at the same θ
// and ψ: the probability that such a set is less likely than the observed one. With (θ, ψ) drawn from the exact
// posterior it is uniform on (0, 1) over sets of the model, for any N; near 0 the observations are less likely than the
// model's own, near 1 more likely. Uses 999 sets for up to 250 observations; beyond that, the normal approximation with
// mean and sd from 50,000 observations of the model. `latents` are one row; nothing if the task has no density. `seed`
// selects the sets.
std::optional<double> likelihood_point(const Task& task, const Latents& latents, const Observations& x,
                                       std::uint64_t seed);

// A set of the model lies beyond these ranks once in a hundred.
inline constexpr double kUnlikely = 0.005, kTooLikely = 0.995;

}  // namespace pairs
