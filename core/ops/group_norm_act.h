#pragma once

#include <torch/types.h>

#include <optional>
#include <string>
#include <tuple>

namespace pairs::ops {

inline constexpr double kGroupNormEpsilon = 1e-5;

// group_norm_act (ops.h) by LibTorch's own operations: the result and the moments [2, B, groups] (means, then inverse
// standard deviations) that its backward pass takes. For float64.
std::tuple<torch::Tensor, torch::Tensor> group_norm_act_composed(const torch::Tensor& x,
                                                                 const std::optional<torch::Tensor>& beside,
                                                                 const torch::Tensor& scale, const torch::Tensor& shift,
                                                                 std::int64_t groups, c10::string_view act);
// Gradients of x, beside (empty without one), scale and shift.
std::tuple<torch::Tensor, torch::Tensor, torch::Tensor, torch::Tensor> group_norm_act_backward_composed(
    const torch::Tensor& grad, const torch::Tensor& x, const std::optional<torch::Tensor>& beside,
    const torch::Tensor& scale, const torch::Tensor& shift, const torch::Tensor& moments, c10::string_view act);

}  // namespace pairs::ops
