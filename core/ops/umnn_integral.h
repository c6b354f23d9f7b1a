#pragma once

#include <torch/types.h>

#include <cstdint>
#include <tuple>
#include <vector>

namespace pairs::ops {

// Clenshaw-Curtis quadrature on [0, 1] with `steps` (even, >= 2) steps: steps + 1 nodes, descending from 1 to 0, and
// their weights, exact to float64 and summing to 1. Throws Error for other numbers of steps.
struct Quadrature {
  std::vector<double> nodes, weights;
};
const Quadrature& clenshaw_curtis(std::int64_t steps);

// The rule's nodes and weights in the type and on the device of `options`, followed by the end point 1 with weight 0,
// where the integrand is the derivative. Made once for each type and device.
struct QuadratureTensors {
  torch::Tensor nodes, weights;  // [steps + 2]
};
const QuadratureTensors& quadrature_on(std::int64_t steps, const torch::TensorOptions& options);

// The monotone map of a UMNN (Wehenkel and Louppe 2019): z = h_0 + ∫_0^x g(t; h) dt and its exact derivative g(x; h),
// for g = ELU(mlp(t, h)) + 1.05 with ReLU hidden layers. x [M], h [C, q] with M a multiple of C (row i uses h row i /
// (M / C)), layers' weights [out, in] with in = 1 + q for the first and out = 1 for the last, biases [out] -> (z [M], g
// [M]). Differentiable in everything: dz/dx is g(x; h) itself, not the derivative of the quadrature, so log g is the
// log density of the map for any number of steps; gradients of weights and h use the same nodes as the value. Without
// gradients it works through blocks that fit in the cache, so that memory does not grow with M.
std::tuple<torch::Tensor, torch::Tensor> umnn_integral(const torch::Tensor& x, const torch::Tensor& h,
                                                       const std::vector<torch::Tensor>& weights,
                                                       const std::vector<torch::Tensor>& biases, std::int64_t steps);

// umnn_integral for many values of each row of h: x [B, S], h [B, q] -> (z [B, S], g [B, S]). The integral is
// accumulated in float64 by Simpson's rule from one value to the next, with some 500 steps in between, so it costs a
// few evaluations of g per value instead of a quadrature each. No gradients.
std::tuple<torch::Tensor, torch::Tensor> umnn_integral_grid(const torch::Tensor& x, const torch::Tensor& h,
                                                            const std::vector<torch::Tensor>& weights,
                                                            const std::vector<torch::Tensor>& biases);

}  // namespace pairs::ops
