#include "core/eval/calibration/tarp.h"

#include "core/eval/metrics/metrics.h"
#include "core/eval/metrics/metrics_checks.h"

namespace pairs {

torch::Tensor distance_ranks(const torch::Tensor& samples, const torch::Tensor& truth, const torch::Tensor& reference,
                             const torch::Tensor& scale, std::uint64_t key) {
  const torch::Tensor s = detail::metric_input(samples, 3, "Samples"), t = detail::metric_input(truth, 2, "Truths");
  const torch::Tensor at = detail::metric_input(reference, 2, "Reference points");
  const torch::Tensor unit = detail::metric_input(scale, 1, "Scales");
  detail::check_pair(s, t);
  PAIRS_CHECK(at.sizes() == t.sizes() && unit.size(0) == t.size(1) && unit.gt(0).all().item<bool>(),
              "Distances need a reference point for each of {} tests and a positive scale for each of {} targets.",
              t.size(0), t.size(1));
  const torch::Tensor from_samples = ((s - at.unsqueeze(1)) / unit).square().sum(2, true);
  const torch::Tensor from_truth = ((t - at) / unit).square().sum(1, true);
  return central_ranks(from_samples, from_truth, key).squeeze(1);
}

}  // namespace pairs
