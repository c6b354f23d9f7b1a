#include "tasks/bump_hunt/self_check.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <cmath>

#include "tasks/bump_hunt/bump_hunt.h"

namespace pairs::bump_hunt {

double posterior_deviation() {
  const auto quantiles = [](std::int64_t count) {
    return at::special_ndtri((at::arange(count, torch::kFloat64) + 0.5) / static_cast<double>(count));
  };
  const auto reference = make_bump_hunt()->reference("exact");
  reference->add(at::cat({quantiles(80), 1.5 + 0.1 * quantiles(20)}).unsqueeze(1));
  const double mean = reference->mean().item<double>(), sd = std::sqrt(reference->covariance().item<double>());
  return std::max(std::abs(mean / 0.20507662 - 1), std::abs(sd / 0.04574749 - 1));
}

}  // namespace pairs::bump_hunt
