#pragma once

#include <torch/types.h>

#include "core/eval/metrics/prior_gain.h"

namespace pairs {

// The largest number of held-out sets of stage 1 to fit a standard deviation on.
inline constexpr std::int64_t kSigmaSets = 20000;

// Fits the Gaussian baseline's residual standard deviations after training (paper, Gaussian regression baseline), one
// per target and set size, on held-out sets. Sizes that occur in fewer than 100 of them are pooled by octaves. Returns
// the mean squared error of the predictions of standardized targets; for other heads does nothing and returns NaN.
double fit_regression_sigma(Estimator& estimator, std::int64_t head_n, const ScoredSets& held_out);

}  // namespace pairs
