#include "core/train/cache_groups.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/sets/index_map.h"
#include "core/target_model.h"

namespace pairs {

std::int64_t CacheGroup::observations() const {
  std::int64_t total = 0;
  for (std::int64_t b : blocks) total += b;
  return total;
}

std::vector<CacheGroup> plan_groups(const CacheConfig& c, bool list_law) {
  std::vector<CacheGroup> groups;
  for (std::size_t k = 0; k < c.sizes.size(); ++k) {
    CacheGroup g;
    g.n = c.sizes[k];
    g.smallest = k == 0 ? 1 : c.sizes[k - 1] + 1;
    const std::int64_t sets = c.sets.size() == 1 ? c.sets[0] : c.sets[k];
    g.validation = std::max<std::int64_t>(1, static_cast<std::int64_t>(static_cast<double>(sets) * c.validation));
    g.training = sets - g.validation;
    const auto wanted = static_cast<std::int64_t>(std::ceil(c.oversample * static_cast<double>(g.n)));
    if (c.mode == "fixed") {
      g.blocks = {g.n};
    } else if (list_law) {
      // Equal blocks: any `pieces` of them make a set of exactly n.
      const std::int64_t pieces = std::min(c.pieces, g.n);
      if (g.n % pieces != 0)
        fail_usage("cache.pieces = {} does not divide the set size {} of cache.sizes; choose a divisor", pieces, g.n);
      g.blocks.assign(static_cast<std::size_t>((wanted + g.n / pieces - 1) / (g.n / pieces)), g.n / pieces);
    } else {
      const std::int64_t largest = std::max<std::int64_t>(1, g.n / c.pieces);
      std::int64_t total = 0;
      for (std::int64_t size = std::max<std::int64_t>(1, g.smallest / 16); size < largest; size *= 2)
        for (std::int64_t i = 0; i < c.copies; ++i, total += size) g.blocks.push_back(size);
      for (; total < wanted; total += largest) g.blocks.push_back(largest);
      std::sort(g.blocks.rbegin(), g.blocks.rend());
    }
    groups.push_back(std::move(g));
  }
  return groups;
}

std::int64_t cached_targets(const TaskInfo& task) {
  return target_model(task).kept_in_cache() && task.given_size() == 0 ? task.target_size() : 0;
}

std::int64_t cached_set_index(std::size_t group, const CacheGroup& layout, std::int64_t set, std::int64_t generation) {
  const std::int64_t base = static_cast<std::int64_t>(group) * index_map::kGroupStride;
  return set < layout.training ? base + generation * layout.training + set
                               : base + index_map::kValidationSets + (set - layout.training);
}

Purpose cached_set_purpose(std::int64_t index) {
  return index % index_map::kGroupStride < index_map::kValidationSets ? Purpose::finetune
                                                                      : Purpose::finetune_validation;
}

}  // namespace pairs
