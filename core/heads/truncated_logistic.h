#pragma once

#include <torch/types.h>

#include <tuple>

namespace pairs {

// The distribution function on [0, 1] of a logistic variable truncated at both bounds: with w = 2θ - 1 it has its mode
// at w = μ and the scale e^s, where μ may lie outside the range. θ, μ and s broadcast -> (u in [0, 1], log du/dθ). θ =
// 0 and 1 give u = 0 and 1 exactly, with finite densities; θ outside gives u outside. Differentiable in all three.
std::tuple<torch::Tensor, torch::Tensor> truncated_logistic(const torch::Tensor& theta, const torch::Tensor& mu,
                                                            const torch::Tensor& log_scale);
// Only the log density, log du/dθ.
torch::Tensor truncated_logistic_log_density(const torch::Tensor& theta, const torch::Tensor& mu,
                                             const torch::Tensor& log_scale);
// The inverse: θ in [0, 1] for u in [0, 1], in u's type, computed in float64; no gradient.
torch::Tensor truncated_logistic_inverse(const torch::Tensor& u, const torch::Tensor& mu,
                                         const torch::Tensor& log_scale);

}  // namespace pairs
