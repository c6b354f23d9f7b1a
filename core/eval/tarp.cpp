#include <ATen/Parallel.h>

#include <algorithm>
#include <atomic>
#include <cmath>

#include "core/base/random.h"
#include "core/eval/metrics.h"
#include "core/eval/metrics_checks.h"

namespace pairs {

std::vector<double> tarp_coverage(const torch::Tensor& samples, const torch::Tensor& truth,
                                  const std::vector<double>& levels, std::uint64_t seed) {
  const torch::Tensor s = detail::metric_input(samples, 3, "Samples"), t = detail::metric_input(truth, 2, "Truths");
  detail::check_pair(s, t);
  PAIRS_CHECK(t.isfinite().all().item<bool>(), "Truths hold numbers that are not finite.");
  const std::int64_t tests = s.size(0), draws = s.size(1), targets = s.size(2);
  const torch::Tensor low = std::get<0>(t.min(0)).contiguous();
  torch::Tensor width = std::get<0>(t.max(0)) - low;
  width = torch::where(width > 0, width, torch::ones_like(width)).contiguous();  // a target that never varies
  const double *from = s.const_data_ptr<double>(), *at = t.const_data_ptr<double>();
  const double *corner = low.const_data_ptr<double>(), *scale = width.const_data_ptr<double>();
  const std::uint64_t key = stream_key(seed, Purpose::check);
  torch::Tensor nearer = torch::empty({tests}, torch::kFloat64);
  double* out = nearer.mutable_data_ptr<double>();
  std::atomic<bool> unordered = false;
  at::parallel_for(0, tests, 8, [&](std::int64_t begin, std::int64_t end) {
    std::vector<double> reference(static_cast<std::size_t>(targets));
    const auto distance = [&](const double* point) {
      double sum = 0;
      for (std::int64_t k = 0; k < targets; ++k) {
        const double gap = (point[k] - corner[k]) / scale[k] - reference[k];
        sum += gap * gap;
      }
      return sum;
    };
    for (std::int64_t i = begin; i < end; ++i) {
      Stream stream(key, static_cast<std::uint64_t>(i));
      for (double& r : reference) r = stream.uniform64();
      const double limit = distance(at + i * targets);
      std::int64_t inside = 0;
      for (std::int64_t j = 0; j < draws; ++j) {
        const double d = distance(from + (i * draws + j) * targets);
        if (std::isnan(d)) unordered = true;
        inside += d < limit;
      }
      out[i] = static_cast<double>(inside) / static_cast<double>(draws);
    }
  });
  PAIRS_CHECK(!unordered, "Posterior samples hold NaN: they have no distance from a reference point.");
  // A truth is covered at level a when a share of the samples no larger than a is nearer to the reference point.
  return hpd_coverage(nearer, levels);
}

}  // namespace pairs
