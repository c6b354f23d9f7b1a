#include "tasks/gaussian/self_check.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <cmath>

#include "tasks/gaussian/gaussian.h"

namespace pairs::gaussian {

double posterior_deviation() {
  const auto reference = make_gaussian("")->reference("exact");
  reference->add(at::tensor({-1.0, 2.0, 0.0, 1.5, -2.0, 3.0, 0.5, 2.5}, torch::kFloat64).reshape({4, 2}));
  const double log_density =
      reference->log_density(at::tensor({-1.0, 2.0}, torch::kFloat64).reshape({1, 2})).item<double>();
  const torch::Tensor mean = at::tensor({-0.7, 2.2}, torch::kFloat64);
  return std::max(std::abs(log_density + 0.591558), (reference->mean() - mean).abs().max().item<double>());
}

}  // namespace pairs::gaussian
