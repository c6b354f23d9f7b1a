#pragma once

#include <torch/types.h>

#include <functional>

#include "core/heads/head_config.h"

namespace pairs {

// The estimator's setting "restrict", stored with its head's settings: whether posteriors are restricted to the
// targets' supports if the head reaches beyond them.
struct SupportSettings {
  bool restrict = true;
};

// Whether posteriors of such a head are restricted to the supports: the setting is on, and the head models parameters
// and is not confined to their ranges anyway.
bool restricts(const HeadConfig& config);

// Log of the probability that a standard normal, or logistic, variable lies between low and high (float64, of one
// shape, either may be infinite), exact in the tails; -infinity if high <= low.
torch::Tensor normal_log_mass(const torch::Tensor& low, const torch::Tensor& high);
torch::Tensor logistic_log_mass(const torch::Tensor& low, const torch::Tensor& high);

// Applies an increasing map to bounds [B, 1] float64 on any device -> float64 on the CPU; infinite bounds stay
// infinite. The map is evaluated in the type and on the device of `like`.
torch::Tensor base_of_bound(const torch::Tensor& bound, const torch::Tensor& like,
                            const std::function<torch::Tensor(const torch::Tensor&)>& map);

}  // namespace pairs
