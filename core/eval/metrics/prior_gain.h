#pragma once

#include <torch/types.h>

#include <cmath>
#include <functional>

#include "core/estimator.h"

namespace pairs {

// Held-out sets as heads see them: θ [V, d] float64, aggregates [V, l], sizes n [V] int64 and, if the task has
// conditions, given [V, g] float64; all but aggregates on the CPU.
struct ScoredSets {
  torch::Tensor theta, aggregates, n, given = {};
};

// How much better an estimator's posteriors score than the best density that ignores the observations: mean over
// held-out sets and standard error of the difference on the same sets, in nats (or in units of the loss if the head has
// no density). NaN: unknown.
struct PriorGain {
  double gain = NAN, se = NAN;
  bool known() const { return std::isfinite(gain) && std::isfinite(se); }
  // Whether it is no better than the prior: the gain is within twice its standard error.
  bool nothing() const { return known() && gain <= 2 * se; }
};

// How many sets prior_gain uses, the first ones: enough to measure a tenth of a nat at ten standard errors, or fewer
// where a density takes long.
std::int64_t prior_gain_sets(const Estimator& estimator);

// Compares the estimator with the best, on these sets, of three densities of θ that ignore the observations: the
// uniform density over the targets' ranges, if all are bounded; a normal density of any mean and covariance, fitted to
// every other set and scored on the rest; and the mean of the estimator's own posteriors of eight other sets, which
// approximates its marginal of θ and equals its posterior if that ignores the set. Heads that predict points with a
// fitted spread are compared with the last two only. A head without a density is compared with its own loss on another
// set's observations. Unknown for fewer than 32 sets. In evaluation mode. Throws Stopped once `stop` returns true.
PriorGain prior_gain(Estimator& estimator, const ScoredSets& sets, const std::function<bool()>& stop = {});

}  // namespace pairs
