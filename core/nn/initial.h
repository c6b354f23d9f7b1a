#pragma once

#include <ATen/core/Generator.h>
#include <torch/types.h>

#include <cmath>

namespace pairs {

// PyTorch's default for Linear and Conv: weights and biases uniform within ± 1 / sqrt(fan in).
inline double uniform_bound(std::int64_t fan_in) {
  return 1.0 / std::sqrt(static_cast<double>(fan_in));
}

// Of a new weight: float32 on the CPU, or of shape alone while a ShapesOnly lives.
torch::TensorOptions weight_options();

// A new weight, uniform within ± bound.
torch::Tensor uniform_tensor(at::IntArrayRef sizes, double bound, const at::Generator& generator);

// A new weight, standard normal.
torch::Tensor normal_tensor(at::IntArrayRef sizes, const at::Generator& generator);

// While one lives, the networks that this thread makes have shapes but no memory (LibTorch's meta device). Once they
// have more than `most` uniform tensors, Error is thrown.
class ShapesOnly {
 public:
  explicit ShapesOnly(std::size_t most);
  ~ShapesOnly();
  ShapesOnly(const ShapesOnly&) = delete;
  ShapesOnly& operator=(const ShapesOnly&) = delete;
};

}  // namespace pairs
