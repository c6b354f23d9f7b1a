#pragma once

#include <torch/types.h>

#include <string>

#include "core/ops/activation_rows.h"

namespace pairs::ops {

// "none", "relu" or "silu"; any other name throws Error.
Activation parse_activation(const std::string& name);

// act'(pre) element by element, through ATen.
torch::Tensor activation_slope(const torch::Tensor& pre, Activation act);

}  // namespace pairs::ops
