#include "tasks/parts/rows.h"

#include <algorithm>

#include "core/base/text/error.h"
#include "core/target_model.h"

namespace pairs {

Rows::Rows(std::span<const SetRange> ranges, const Latents& latents, const TaskInfo& info) : ranges_(ranges) {
  const auto sets = static_cast<std::int64_t>(ranges.size());
  const auto shaped = [sets](const torch::Tensor& t, std::size_t columns) {
    return t.defined() && t.dim() == 2 && t.size(0) == sets && t.size(1) == static_cast<std::int64_t>(columns) &&
           t.scalar_type() == torch::kFloat64 && t.is_contiguous() && t.device().is_cpu();
  };
  const auto targets = static_cast<std::size_t>(info.target_size());
  PAIRS_CHECK(
      (shaped(latents.theta, targets) || (!target_model(info).observed_through_theta() && !latents.theta.defined())) &&
          shaped(latents.psi, info.nuisances.size()),
      "{}: {} ranges need latents theta [{}, {}] and psi [{}, {}], contiguous float64 on the CPU", info.name, sets,
      sets, targets, sets, info.nuisances.size());
  offsets_.reserve(ranges.size() + 1);
  offsets_.push_back(0);
  for (const SetRange& r : ranges) {
    constexpr auto most = static_cast<std::int64_t>(index_map::kMostObservations);
    PAIRS_CHECK(r.index >= 0 && r.index < static_cast<std::int64_t>(index_map::kEnd) && r.first >= 0 && r.count >= 0 &&
                    r.first < most && r.count < most,
                "{}: set {} has no observations {} .. {}: indices start at 0 and stay below 2^46", info.name, r.index,
                r.first, r.first + r.count - 1);
    offsets_.push_back(offsets_.back() + r.count);
  }
}

std::size_t Rows::range_of(std::int64_t row) const {
  return static_cast<std::size_t>(std::upper_bound(offsets_.begin(), offsets_.end(), row) - offsets_.begin()) - 1;
}

}  // namespace pairs
