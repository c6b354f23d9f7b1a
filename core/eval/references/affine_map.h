#pragma once

#include <torch/types.h>

// How well an embedder satisfies the theorem of the paper (docs/explanation/training.md, "The theorem made visible").
// Rows are observations; floating type, on the CPU. Least squares are fitted in float64 on the first half of the rows
// and scored on the second half, so that overfitting lowers neither number. All functions throw Error if the rows of
// both tensors do not match, are too few, or are not finite.
namespace pairs {

// 1 − R² of each column of `to` [M, d] under the best affine map from `from` [M, l] -> [d] float64. Above 1 if the map
// does worse than a constant; NaN for a constant column.
torch::Tensor unexplained(const torch::Tensor& from, const torch::Tensor& to);

// 1 − R² of all columns together: the unexplained share of their summed variance. Constant columns add nothing.
double unexplained_in_all(const torch::Tensor& from, const torch::Tensor& to);

// How far g(y₁) + g(y₂) = h(y₁ + y₂) is from having a solution h, for embeddings y [M, l] and statistics g(y) [M, d] of
// observations, where consecutive observations form pairs: 1 − R² of each sum of two statistics under the best
// quadratic function of the sum of the two embeddings -> [d] float64. The quadratic terms use the leading eight
// principal components of the sums.
torch::Tensor cauchy_residual(const torch::Tensor& embeddings, const torch::Tensor& statistics);

}  // namespace pairs
