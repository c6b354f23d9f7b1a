#pragma once

#include <ATen/core/Generator.h>
#include <torch/types.h>

#include <cmath>

namespace pairs {

// PyTorch's default for Linear and Conv: weights and biases uniform within ± 1 / sqrt(fan in).
inline double uniform_bound(std::int64_t fan_in) {
  return 1.0 / std::sqrt(static_cast<double>(fan_in));
}

// float32 on the CPU, uniform within ± bound.
inline torch::Tensor uniform_tensor(at::IntArrayRef sizes, double bound, const at::Generator& generator) {
  return torch::empty(sizes, torch::kFloat).uniform_(-bound, bound, generator);
}

}  // namespace pairs
