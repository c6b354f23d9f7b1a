#pragma once

#include <torch/types.h>

#include <cstdint>

namespace pairs {

// Dropout factors for rows `first` .. `first` + rows - 1 of a batch -> [rows, width] float32 on the CPU: 0 with
// probability `rate`, else 1 / (1 - rate). A row is a pure function of key and position.
torch::Tensor dropout_mask(std::uint64_t key, std::int64_t first, std::int64_t rows, std::int64_t width, double rate);

}  // namespace pairs
