#pragma once

#include <torch/types.h>

#include <cstdint>
#include <optional>

namespace pairs::ops {

// relu(group normalization of x times scale plus shift, plus `residual`): images x [M, C, H, W] of float32, bfloat16 or
// float64, `residual` like x, scale and shift [C] float32 (float64 with float64) -> like x, channels-last, with
// gradients of all four. Statistics are per image, with sums in float64. On the CPU, float32 and bfloat16 use kernels
// of our own, which pass over a map twice in each direction and give the same bits on every instruction set; elsewhere
// it is group_norm_act, an addition and a rectification. Throws Error for shapes and types that do not fit.
torch::Tensor group_norm_relu(const torch::Tensor& x, const std::optional<torch::Tensor>& residual,
                              const torch::Tensor& scale, const torch::Tensor& shift, std::int64_t groups);

}  // namespace pairs::ops
