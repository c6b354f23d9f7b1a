#pragma once

#include <torch/types.h>

#include <string>

#include "core/base/text/error.h"

namespace pairs::detail {

// Checks that a tensor is float64 on the CPU with `dims` dimensions and not empty; returns it contiguous. Throws Error
// naming it.
inline torch::Tensor metric_input(const torch::Tensor& tensor, std::int64_t dims, const char* name) {
  PAIRS_CHECK(tensor.defined() && tensor.scalar_type() == torch::kFloat64 && tensor.device().is_cpu(),
              "{} of a metric must be float64 on the CPU.", name);
  PAIRS_CHECK(tensor.dim() == dims && tensor.numel() > 0,
              "{} of a metric must have {} dimensions and not be empty; they have {} dimensions and {} values.", name,
              dims, tensor.dim(), tensor.numel());
  return tensor.contiguous();
}

// Checks that samples [n, S, d] and truths [n, d] match.
inline void check_pair(const torch::Tensor& samples, const torch::Tensor& truth) {
  PAIRS_CHECK(samples.size(0) == truth.size(0) && samples.size(2) == truth.size(1),
              "Samples of {} tests with {} targets do not fit truths of {} tests with {} targets.", samples.size(0),
              samples.size(2), truth.size(0), truth.size(1));
}

}  // namespace pairs::detail
