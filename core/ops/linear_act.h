#pragma once

#include <torch/types.h>

#include <string>

#include "core/ops/activation_rows.h"

namespace pairs::ops {

// "none", "relu", "silu" or "softplus"; any other name throws Error.
Activation parse_activation(const std::string& name);

// ln((1 + e^x) / 2), the "softplus" of these operators, through ATen.
torch::Tensor shifted_softplus(const torch::Tensor& x);

// act'(pre) element by element, through ATen.
torch::Tensor activation_slope(const torch::Tensor& pre, Activation act);

}  // namespace pairs::ops
