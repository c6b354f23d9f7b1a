#include "core/prior_density.h"

#include <ATen/Functions.h>

#include <cmath>
#include <limits>

#include "core/base/fields/face.h"

namespace pairs {

torch::Tensor log_prior(const Task& task, const torch::Tensor& theta) {
  const auto* known = face<HasPriorDensity>(task);
  return known != nullptr ? known->log_prior(theta) : torch::Tensor();
}

torch::Tensor uniform_log_prior(const TaskInfo& info, const torch::Tensor& theta) {
  torch::Tensor out = at::zeros({theta.size(0)}, torch::kFloat64);
  for (std::size_t k = 0; k < info.targets.size(); ++k) {
    const Target& target = info.targets[k];
    const torch::Tensor at = theta.select(1, static_cast<std::int64_t>(k));
    out -= std::log(target.high - target.low);
    out.masked_fill_((at < target.low).logical_or(at > target.high), -std::numeric_limits<double>::infinity());
  }
  return out;
}

}  // namespace pairs
