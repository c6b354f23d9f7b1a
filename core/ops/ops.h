#pragma once

#include <torch/types.h>

#include <optional>
#include <string>
#include <tuple>
#include <vector>

// The few tensor operations that are worth a kernel of our own. Declared once to LibTorch's dispatcher
// (TORCH_LIBRARY(pairs)); sibling files _cpu.cpp and _cuda.cu register each device, autograd is registered for all.
// Callers need not know the device.
namespace pairs::ops {

// act(x W^T + b): x [M, in], W [out, in], b [out] (may be undefined); act "none", "relu", "silu" or "softplus", which
// is ln((1 + e^v) / 2). Float32 runs on oneDNN; other types through ATen. Hand-written backward.
torch::Tensor linear_act(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias,
                         const std::string& act);

// A whole network as one operator: layer i is weights[i] [out, in], biases[i] [out]; act as above. blocks < 0: act
// after every layer but the last. blocks >= 0: residual, 2 blocks + 2 layers: h = L0(x), then h += L2(act(L1(act(h))))
// for each block, then the last layer of h. On the CPU, float32 uses kernels of our own that take blocks of rows
// through all layers; row i of the result depends only on row i of x, and all results are the same for any number of
// threads.
torch::Tensor mlp(const torch::Tensor& x, const std::vector<torch::Tensor>& weights,
                  const std::vector<torch::Tensor>& biases, const std::string& act, std::int64_t blocks = -1);

// act(scale * (x - mean) / sd + shift) with mean and standard deviation of each image's groups of channels (Wu and He
// 2018): x [B, C, H, W] in float32, bfloat16 or float64; `extra` [B, C', H, W] is concatenated to x along the
// channels. scale and shift [B, C + C'], or [1, C + C'] for all images, in float32 (float64 for float64); act "none" or
// "silu". The result is channels-last and of x's type, statistics are in float32 or better. Hand-written backward; on
// the CPU, float32 and bfloat16 use kernels of our own.
torch::Tensor group_norm_act(const torch::Tensor& x, const std::optional<torch::Tensor>& extra,
                             const torch::Tensor& scale, const torch::Tensor& shift, std::int64_t groups,
                             const std::string& act);

// Mean of the rows of each segment: x [M, l], offsets [B + 1] int64 on x's device -> [B, l] in x's type; sums
// accumulate in float64. Every segment holds at least one row.
torch::Tensor segment_mean(const torch::Tensor& x, const torch::Tensor& offsets);
// Sum of the rows of each segment as float64 [B, l]; no gradient. Empty segments give zero.
torch::Tensor segment_sum64(const torch::Tensor& x, const torch::Tensor& offsets);

// One conditional piecewise-quadratic CDF per row (docs/explanation/networks.md, "Quadratic spline head"): y [M] in [0,
// 1], params [M, 2K + 1] (K width logits, K + 1 height logits; 2K - 1 with `tails`, where boundary heights are fixed so
// that the density is 1 at both ends) -> (z [M] in [0, 1], log |dz/dy| [M]). Differentiable in y and params. y may have
// a multiple of params' rows, each of which then applies to that many consecutive rows. Outside [0, 1]: the identity
// with tails, zero density in a box.
std::tuple<torch::Tensor, torch::Tensor> quadratic_spline(const torch::Tensor& y, const torch::Tensor& params,
                                                          std::int64_t bins, bool tails);
// The inverse map and its log |dy/dz|, without gradients; stable where a bin's slope vanishes.
std::tuple<torch::Tensor, torch::Tensor> quadratic_spline_inverse(const torch::Tensor& z, const torch::Tensor& params,
                                                                  std::int64_t bins, bool tails);

}  // namespace pairs::ops
