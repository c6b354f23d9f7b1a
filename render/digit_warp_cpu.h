#pragma once

#include <torch/types.h>

namespace pairs::render {

// The CPU side of the operator pairs::warp_digits; arguments as checked by warp_digits, contiguous.
torch::Tensor warp_digits_cpu(const torch::Tensor& images, const torch::Tensor& pick, const torch::Tensor& angle,
                              const torch::Tensor& sigma, const torch::Tensor& set, const torch::Tensor& item,
                              std::int64_t key);

}  // namespace pairs::render
