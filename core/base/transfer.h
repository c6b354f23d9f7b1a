#pragma once

#include <torch/types.h>

#include <vector>

namespace pairs {

// The tensor on the device. From the CPU to a GPU it goes through pinned memory and nobody waits: what follows on the
// device comes after it, and the tensor may be dropped or reused at once.
torch::Tensor send(const torch::Tensor& tensor, const torch::Device& device);

// The tensor's values, row by row.
std::vector<double> doubles(const torch::Tensor& tensor);
// Puts them behind what is there.
void append_doubles(std::vector<double>& out, const torch::Tensor& tensor);

}  // namespace pairs
