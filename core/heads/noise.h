#pragma once

#include <torch/types.h>

#include <cstdint>

namespace pairs {

// Noise of posterior samples: the values of sample s of row b are a pure function of (key, b, s), generated on the CPU
// and copied, so that every device uses the same. [rows, count, d] with the type and device of `like`.
torch::Tensor uniform_noise(std::uint64_t key, std::int64_t rows, std::int64_t count, std::int64_t d,
                            const torch::Tensor& like);
torch::Tensor normal_noise(std::uint64_t key, std::int64_t rows, std::int64_t count, std::int64_t d,
                           const torch::Tensor& like);

// Sum over the last axis of log N(z; 0, 1): [..., d] -> [...].
torch::Tensor standard_normal_log(const torch::Tensor& z);

}  // namespace pairs
