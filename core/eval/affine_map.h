#pragma once

#include <torch/types.h>

// How far the theorem of the paper holds for an embedder (docs/method.md, "The theorem made visible"). Rows are
// observations; floating type, on the CPU. Least squares are fitted in float64 on the first half of the rows and judged
// on the second half, so that neither number is lowered by fitting what it judges. Throw Error where the rows of both
// tensors do not go together, are too few, or are not finite.
namespace pairs {

// 1 − R² of each column of `to` [M, d] under the best affine map from `from` [M, l] -> [d] float64. Above 1 where the
// map does worse than a constant; NaN for a column that does not vary.
torch::Tensor unexplained(const torch::Tensor& from, const torch::Tensor& to);

// The same of all columns together: what is left of their summed variance. Columns that do not vary add nothing.
double unexplained_in_all(const torch::Tensor& from, const torch::Tensor& to);

// How far g(y₁) + g(y₂) = h(y₁ + y₂) is from having a solution h, for embeddings y [M, l] and statistics g(y) [M, d]
// of observations of which each two consecutive ones make a pair: 1 − R² of each sum of two statistics under the best
// quadratic function of the sum of the two embeddings -> [d] float64. Quadratic terms are those of the leading eight
// principal components of the sums.
torch::Tensor cauchy_residual(const torch::Tensor& embeddings, const torch::Tensor& statistics);

}  // namespace pairs
