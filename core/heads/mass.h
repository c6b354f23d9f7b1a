#pragma once

#include <torch/types.h>

#include <functional>

#include "core/heads/head_config.h"

namespace pairs {

// A setting of the estimator ("restrict"), kept among those of its head: whether posteriors are restricted to the
// targets' supports where the head reaches beyond them.
struct SupportSettings {
  bool restrict = true;
};

// Whether posteriors of such a head are restricted to the supports: the setting asks for it, and the head is one of
// parameters that is not confined to their ranges anyway.
bool restricts(const HeadConfig& config);

// log of the probability that a standard normal, or logistic, variable lies between low and high (float64, of one
// shape, either may be infinite), exact in the tails; -infinity where high <= low.
torch::Tensor normal_log_mass(const torch::Tensor& low, const torch::Tensor& high);
torch::Tensor logistic_log_mass(const torch::Tensor& low, const torch::Tensor& high);

// Where an increasing map takes bounds [B, 1] float64 on any device -> float64 on the CPU; infinite ones stay infinite.
// The map is asked in the type and on the device of `like`.
torch::Tensor base_of_bound(const torch::Tensor& bound, const torch::Tensor& like,
                            const std::function<torch::Tensor(const torch::Tensor&)>& map);

}  // namespace pairs
