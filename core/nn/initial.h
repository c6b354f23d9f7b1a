#pragma once

#include <ATen/core/Generator.h>
#include <torch/types.h>

#include <cmath>

namespace pairs {

// PyTorch's default for Linear and Conv: weights and biases uniform within ± 1 / sqrt(fan in).
inline double uniform_bound(std::int64_t fan_in) {
  return 1.0 / std::sqrt(static_cast<double>(fan_in));
}

// Options of a new weight: float32 on the CPU, or on the meta device while a ShapesOnly exists.
torch::TensorOptions weight_options();

// A new weight, uniform within ± bound.
torch::Tensor uniform_tensor(at::IntArrayRef sizes, double bound, const at::Generator& generator);

// A new weight, standard normal.
torch::Tensor normal_tensor(at::IntArrayRef sizes, const at::Generator& generator);

// While one exists, networks made on this thread have shapes but no memory (LibTorch's meta device). Throws Error once
// they have more than `most` uniform tensors.
class ShapesOnly {
 public:
  explicit ShapesOnly(std::size_t most);
  ~ShapesOnly();
  ShapesOnly(const ShapesOnly&) = delete;
  ShapesOnly& operator=(const ShapesOnly&) = delete;
};

}  // namespace pairs
