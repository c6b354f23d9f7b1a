#pragma once

#include <torch/types.h>

#include <string>

namespace pairs {

// Length of the encoding of the set size: "none" 0, "linear" 1 (N / N_max), "log" 1 (log N / log N_max).
std::int64_t encoding_size(const std::string& kind);

// n [B] int64 -> [B, encoding_size] float32 on n's device. Throws Error for n < 1 or n > max_n.
torch::Tensor encode_n(const std::string& kind, const torch::Tensor& n, std::int64_t max_n);

}  // namespace pairs
