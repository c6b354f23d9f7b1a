#pragma once

#include <torch/types.h>

namespace pairs::render {

// warp_digits in float64, one pixel after the other, straight from its definition: what the fast versions are tested
// against. Same arguments, on the CPU -> [M, 1, H, W] float64.
torch::Tensor warp_digits_reference(const torch::Tensor& images, const torch::Tensor& pick, const torch::Tensor& angle,
                                    const torch::Tensor& sigma, const torch::Tensor& set, const torch::Tensor& item,
                                    std::uint64_t key);

}  // namespace pairs::render
