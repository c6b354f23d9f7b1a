#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tasks/own/stored/set_split.h"

namespace pairs::own {

// Sets of one size in a pool.
struct PoolSize {
  std::int64_t n = 2;
  std::array<std::int64_t, 3> sets{};  // per Split

  std::int64_t of(Split split) const { return sets[static_cast<std::size_t>(split)]; }
};

// The sets that a budget of observations pays for. Sizes grow by powers of two from pairs to the largest N, so that one
// pool serves all stages: stage 1 draws pairs from every set, stages 2 and 3 draw sets of N from all that hold as many,
// and a likelihood learns from each observation.
struct PoolLayout {
  std::vector<PoolSize> sizes;  // ascending n
  std::int64_t checks = 0;      // observations of the budget that are reserved for checks of the workers' seeds
  // Sets for training with repeated_n observations of which each kRepeats have the same parameters, for a test of
  // independence (core/likelihood/independence.h): the number of these groups.
  std::int64_t repeated_n = 0, groups = 0;
  static constexpr std::int64_t kRepeats = 4;

  std::int64_t sets(Split split) const;
  std::int64_t observations(Split split) const;
  std::int64_t observations() const;
};

// The layout of a budget for a task whose sets have up to max_n observations. For a task that may have a likelihood
// (TaskInfo::no_density is "") most sets for training are small, as a likelihood needs observations at many parameters,
// and some have the same parameters.
// Throws a usage error about the setting if there would be too few sets of max_n.
PoolLayout pool_layout(std::int64_t budget, std::int64_t max_n, bool likelihood);

}  // namespace pairs::own
