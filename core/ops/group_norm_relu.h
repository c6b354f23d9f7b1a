#pragma once

#include <torch/types.h>

#include <cstdint>
#include <optional>

namespace pairs::ops {

// relu(group normalisation of x times scale plus shift, plus `residual`): images x [M, C, H, W] of float32, bfloat16 or
// float64, `residual` as x, scale and shift [C] float32 (float64 with float64) -> as x, channels-last, with gradients
// of all four. Statistics are of one image, sums in float64. On the CPU float32 and bfloat16 run in kernels of our own,
// which go over a map twice each way and give the same bits on every instruction set; elsewhere group_norm_act, an
// addition and a rectification. Throws Error for shapes and types that do not fit.
torch::Tensor group_norm_relu(const torch::Tensor& x, const std::optional<torch::Tensor>& residual,
                              const torch::Tensor& scale, const torch::Tensor& shift, std::int64_t groups);

}  // namespace pairs::ops
