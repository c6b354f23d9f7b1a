#pragma once

#include <torch/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>

#include "core/base/text/error.h"

namespace pairs::ops {

inline constexpr double kGroupNormEpsilon = 1e-5;

// GPU kernels count the pixels of all images, and up to three times as many rows, in 32 bits; memory offsets in 64.
// Throws Error for more.
inline void check_counts_in_32_bits(std::int64_t images, std::int64_t pixels, std::int64_t channels) {
  constexpr std::int64_t most = std::int64_t{1} << 30;
  PAIRS_CHECK(images <= most && pixels <= most && images * pixels <= most && channels <= most,
              "a group normalization on a GPU takes at most {} pixels and channels at once, not {} images of {} pixels "
              "and {} channels; lower the batch",
              most, images, pixels, channels);
}

// group_norm_act (ops.h) by LibTorch's own operations: the result, and the moments [2, B, groups] (means, then inverse
// standard deviations) for its backward pass. For float64.
std::tuple<torch::Tensor, torch::Tensor> group_norm_act_composed(const torch::Tensor& x,
                                                                 const std::optional<torch::Tensor>& extra,
                                                                 const torch::Tensor& scale, const torch::Tensor& shift,
                                                                 std::int64_t groups, c10::string_view act);
// Gradients of x, beside (empty if there is none), scale and shift.
std::tuple<torch::Tensor, torch::Tensor, torch::Tensor, torch::Tensor> group_norm_act_backward_composed(
    const torch::Tensor& grad, const torch::Tensor& x, const std::optional<torch::Tensor>& extra,
    const torch::Tensor& scale, const torch::Tensor& shift, const torch::Tensor& moments, c10::string_view act);

}  // namespace pairs::ops
