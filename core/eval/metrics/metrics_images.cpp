#include <ATen/Functions.h>

#include "core/eval/metrics/metrics.h"
#include "core/eval/metrics/metrics_checks.h"

namespace pairs {

SquaredErrors squared_errors(const torch::Tensor& samples, const torch::Tensor& truth) {
  const torch::Tensor drawn = detail::metric_input(samples, 3, "Samples"),
                      target = detail::metric_input(truth, 2, "Truths");
  detail::check_pair(drawn, target);
  const auto count = static_cast<double>(drawn.size(1));
  SquaredErrors errors;
  errors.draw = (drawn - target.unsqueeze(1)).square().mean({1, 2});
  errors.mean = (drawn.mean(1) - target).square().mean(1);
  if (count < 2) return errors;
  errors.posterior = (errors.mean * count - errors.draw) / (count - 1);
  errors.sd = drawn.std(1).mean(1);
  return errors;
}

}  // namespace pairs
