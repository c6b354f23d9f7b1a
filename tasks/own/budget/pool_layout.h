#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tasks/own/stored/set_split.h"

namespace pairs::own {

// Sets of one size in a pool.
struct PoolSize {
  std::int64_t n = 2;
  std::array<std::int64_t, 3> sets{};  // of each Split

  std::int64_t of(Split split) const { return sets[static_cast<std::size_t>(split)]; }
};

// Which sets a budget of observations makes. Sizes grow by powers of two from pairs to the largest N, so that one pool
// feeds all stages: stage 1 draws pairs of every set, stages 2 and 3 sets of N of all that hold as many.
struct PoolLayout {
  std::vector<PoolSize> sizes;  // ascending n
  std::int64_t checks = 0;      // observations of the budget that are left for the checks of the workers' seeds

  std::int64_t sets(Split split) const;
  std::int64_t observations(Split split) const;
  std::int64_t observations() const;
};

// The layout of a budget for a task whose sets have up to max_n observations. Throws a usage error about the setting
// where it makes too few sets of max_n.
PoolLayout pool_layout(std::int64_t budget, std::int64_t max_n);

}  // namespace pairs::own
