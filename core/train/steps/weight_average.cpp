#include "core/train/steps/weight_average.h"

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <vector>

namespace pairs {

WeightAverage::WeightAverage(const std::map<std::string, torch::Tensor>& parameters, double decay) : decay_(decay) {
  if (!on()) return;
  parameters_ = parameters;
  for (const auto& [name, tensor] : parameters_) average_[name] = tensor.detach().clone();
}

void WeightAverage::update(std::int64_t step) {
  if (!on()) return;
  at::NoGradGuard no_grad;
  const double t = static_cast<double>(step), decay = std::min(decay_, (1 + t) / (10 + t));
  std::vector<torch::Tensor> averages, parameters;
  for (auto& [name, average] : average_) {
    averages.push_back(average);
    parameters.push_back(parameters_.at(name).detach());
  }
  at::_foreach_lerp_(averages, parameters, 1 - decay);
}

WeightAverage::InPlace::InPlace(const WeightAverage& average) : average_(average) {
  at::NoGradGuard no_grad;
  for (const auto& [name, value] : average_.values()) {
    const torch::Tensor parameter = average_.parameters_.at(name).detach();
    own_[name] = parameter.clone();
    parameter.copy_(value);
  }
}

WeightAverage::InPlace::~InPlace() {
  at::NoGradGuard no_grad;
  for (const auto& [name, value] : own_) average_.parameters_.at(name).detach().copy_(value);
}

}  // namespace pairs
