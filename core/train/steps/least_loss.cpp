#include "core/train/steps/least_loss.h"

#include <algorithm>
#include <cmath>

#include "core/target_model.h"

namespace pairs {
namespace {

// Mean over N for a distribution on 1..most, in steps of a thirty-second of N.
double mean_over(SizeDistribution distribution, std::int64_t most, const std::function<double(std::int64_t)>& value) {
  double sum = 0;
  for (std::int64_t n = 1; n <= most;) {
    const std::int64_t next = std::min(most + 1, std::max(n + 1, n + n / 32));
    const double weight = size_probability(distribution, n, next, most);
    const double middle = std::sqrt(static_cast<double>(n) * static_cast<double>(next - 1));
    sum += weight * value(static_cast<std::int64_t>(std::llround(middle)));
    n = next;
  }
  return sum;
}

}  // namespace

double least_loss(const TaskInfo& task, const HeadConfig& head, const std::vector<std::int64_t>& sizes,
                  SizeDistribution distribution, const std::function<double(std::int64_t)>& exact_nll) {
  if (!head_kind(head.kind).loss_is_nll || sizes.empty()) return NAN;
  const double scales = target_model(task).scale(task, head).log_scale;
  if (distribution != SizeDistribution::list) return mean_over(distribution, sizes.back(), exact_nll) - scales;
  double sum = 0;
  for (const std::int64_t n : sizes) sum += exact_nll(n) / static_cast<double>(sizes.size());
  return sum - scales;
}

}  // namespace pairs
