#pragma once

#include <torch/types.h>

#include "core/estimator.h"

namespace pairs {

// Fits the Gaussian baseline's residual standard deviations after training (paper, Gaussian regression baseline), one
// per target and set size: held-out targets of the head (Estimator::target) [V, d] float64, contexts [V, c] and sizes n
// [V]. Sizes that occur in fewer than 100 rows are pooled by octaves. Does nothing for other heads.
void fit_regression_sigma(Estimator& estimator, std::int64_t head_n, const torch::Tensor& target,
                          const torch::Tensor& context, const torch::Tensor& n);

}  // namespace pairs
