#pragma once

#include <torch/types.h>

#include <vector>

namespace pairs {

// Copies the tensor to the device. From the CPU to a GPU it goes through pinned memory without waiting: later work on
// the device is ordered after the copy, and the tensor may be dropped or reused at once.
torch::Tensor send(const torch::Tensor& tensor, const torch::Device& device);

// The tensor's values in row-major order.
std::vector<double> doubles(const torch::Tensor& tensor);
// Appends the tensor's values to `out`.
void append_doubles(std::vector<double>& out, const torch::Tensor& tensor);

}  // namespace pairs
