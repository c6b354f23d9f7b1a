#pragma once

#include <torch/types.h>

namespace pairs::render {

// Rotates digit images about their center with bilinear sampling (zero outside) and adds Gaussian noise. images [K, H,
// W] uint8; pick [M] int64 indexes images; angle [M] float32 radians, counter-clockwise as seen; sigma [M] float32;
// noise is a pure function of (key, set[m], item[m], pixel): set and item [M] int64. Returns [M, 1, H, W] float32:
// bilinear image in [0, 1] plus sigma * normal, not clamped. All on one device.
torch::Tensor warp_digits(const torch::Tensor& images, const torch::Tensor& pick, const torch::Tensor& angle,
                          const torch::Tensor& sigma, const torch::Tensor& set, const torch::Tensor& item,
                          std::uint64_t key);

}  // namespace pairs::render
