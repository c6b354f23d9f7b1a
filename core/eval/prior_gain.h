#pragma once

#include <torch/types.h>

#include <cmath>
#include <functional>

#include "core/estimator.h"

namespace pairs {

// Held-out sets as heads see them: θ [V, d] float64, aggregates [V, l], sizes n [V] int64 and, where the task's sets
// come with some, given [V, g] float64, these three on the CPU.
struct ScoredSets {
  torch::Tensor theta, aggregates, n, given = {};
};

// By how much an estimator's answers beat the best answer without observations: mean over held-out sets and standard
// error of the difference on the same sets, nat (where the head has no density: in units of its loss). NaN: unknown.
struct PriorGain {
  double gain = NAN, se = NAN;
  bool known() const { return std::isfinite(gain) && std::isfinite(se); }
  // No better than without observations, beyond twice the standard error.
  bool nothing() const { return known() && gain <= 2 * se; }
};

// Sets that prior_gain looks at, their first ones: enough to see a tenth of a nat ten standard errors off.
std::int64_t prior_gain_sets(const Estimator& estimator);

// The best answer without observations is the best, on these sets, of three densities of θ that do not know which
// set's θ they are asked about: the uniform one over the targets' ranges, where all have two ends; a normal one of any
// mean and covariance, fitted to every other set and scored on the rest; and the mean of the estimator's own posteriors
// of eight other sets, which is its marginal of θ and equals its answer where that ignores the set. Predicted points
// with a fitted spread are compared with the last two, as no constant point is uniform. A head without a density is
// compared with its own loss when told another set's observations. Unknown for fewer than 32 sets. In evaluation mode.
// Throws Stopped when `stop` says so.
PriorGain prior_gain(Estimator& estimator, const ScoredSets& sets, const std::function<bool()>& stop = {});

}  // namespace pairs
