#include "tasks/own/budget/pool_layout.h"

#include <algorithm>
#include <cmath>

#include "core/base/text/error.h"
#include "core/report/number_text.h"
#include "core/simulation_budget.h"

namespace pairs::own {
namespace {

// Shares of the budget: for each split, and for the largest N among all sizes; that of training where a likelihood is
// learned.
constexpr double kSplitShare[] = {0.7, 0.15, 0.15};
constexpr double kLargestShare = 0.4, kLargestOfLikelihood = 0.1;
// The minimum number of sets of the largest N for training, validation and evaluations.
constexpr std::int64_t kFewest[] = {8, 2, 2};
// What sets with the same parameters have of the training's observations at most, and how many groups of them there are
// at least: the largest sets for which there are as many find the weakest dependence.
constexpr double kRepeatedShare = 0.06;
constexpr std::int64_t kFewestRepeated = 20;
// One in kCheckedShare simulations of the budget, and at least kFewestChecked, check the seeds.
constexpr std::int64_t kCheckedShare = 50, kFewestChecked = 128;

std::vector<std::int64_t> pool_sizes(std::int64_t max_n) {
  std::vector<std::int64_t> sizes;
  for (std::int64_t n = 2; n < max_n; n *= 2) sizes.push_back(n);
  if (sizes.size() > 1 && 4 * sizes.back() > 3 * max_n) sizes.pop_back();
  sizes.push_back(max_n);
  return sizes;
}

// What each size has of a split's observations: the largest a share of its own, the others as much as each other, or
// as 1/√n of the rest where most sets are small.
std::vector<double> shares_of(const std::vector<PoolSize>& sizes, bool small) {
  const double largest = small ? kLargestOfLikelihood : kLargestShare;
  std::vector<double> shares;
  double sum = 0;
  for (std::size_t k = 0; k + 1 < sizes.size(); ++k) {
    shares.push_back(small ? 1 / std::sqrt(static_cast<double>(sizes[k].n)) : 1.0);
    sum += shares.back();
  }
  for (double& share : shares) share *= (1 - largest) / sum;
  shares.push_back(shares.empty() ? 1.0 : largest);
  return shares;
}

// Fills a split's observations with sets, from the largest ones on: the rest becomes pairs.
void fill_split(PoolLayout& layout, std::size_t split, std::int64_t observations, bool small) {
  const std::size_t kinds = layout.sizes.size();
  const std::vector<double> shares = shares_of(layout.sizes, small);
  std::int64_t left = observations;
  for (std::size_t k = kinds; k-- > 0;) {
    PoolSize& size = layout.sizes[k];
    const double share = shares[k];
    std::int64_t sets = static_cast<std::int64_t>(share * static_cast<double>(observations)) / size.n;
    if (k + 1 == kinds) sets = std::max(sets, kFewest[split]);
    if (k == 0) sets = left / size.n;
    size.sets[split] = std::clamp<std::int64_t>(sets, 0, left / size.n);
    left -= size.sets[split] * size.n;
  }
}

// Chooses the sets that have the same parameters.
void repeat_some(PoolLayout& layout) {
  const double most = kRepeatedShare * static_cast<double>(layout.observations(Split::training));
  for (const PoolSize& size : layout.sizes) {
    const std::int64_t groups = std::min(size.of(Split::training) / PoolLayout::kRepeats,
                                         static_cast<std::int64_t>(most) / (PoolLayout::kRepeats * size.n));
    if (groups < kFewestRepeated) continue;
    layout.repeated_n = size.n;
    layout.groups = groups;
  }
}

}  // namespace

std::int64_t PoolLayout::sets(Split split) const {
  std::int64_t sum = 0;
  for (const PoolSize& size : sizes) sum += size.of(split);
  return sum;
}

std::int64_t PoolLayout::observations(Split split) const {
  std::int64_t sum = 0;
  for (const PoolSize& size : sizes) sum += size.n * size.of(split);
  return sum;
}

std::int64_t PoolLayout::observations() const {
  std::int64_t sum = 0;
  for (const Split split : kSplits) sum += observations(split);
  return sum;
}

PoolLayout pool_layout(std::int64_t budget, std::int64_t max_n, bool likelihood) {
  PoolLayout layout;
  layout.checks = std::max(kFewestChecked, budget / kCheckedShare);
  // At most half of a split may be sets of the largest N: smaller N are trained on the others.
  std::int64_t least = 0;
  for (std::size_t split = 0; split < 3; ++split)
    least = std::max(least,
                     static_cast<std::int64_t>(2.0 * static_cast<double>(kFewest[split] * max_n) / kSplitShare[split]));
  least += std::max(kFewestChecked, least / (kCheckedShare - 1));
  if (budget < least)
    fail_usage(
        "{} = {} is too small for sets of up to max_n = {} observations: training, validation and evaluations need {} "
        "of that size, and as many observations again in smaller ones; set {} or more, or a smaller max_n in task.toml",
        SettingKey{kTaskSimulations}, count_text(budget), count_text(max_n), kFewest[0] + kFewest[1] + kFewest[2],
        count_text(least));
  for (const std::int64_t n : pool_sizes(max_n)) layout.sizes.push_back({n, {}});
  const auto all = static_cast<double>(budget - layout.checks);
  for (std::size_t split = 0; split < 3; ++split)
    fill_split(layout, split, static_cast<std::int64_t>(kSplitShare[split] * all), likelihood && split == 0);
  if (likelihood) repeat_some(layout);
  return layout;
}

}  // namespace pairs::own
