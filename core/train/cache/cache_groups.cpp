#include "core/train/cache/cache_groups.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/text/error.h"
#include "core/sets/index_map.h"
#include "core/target_model.h"

namespace pairs {

std::int64_t CacheGroup::observations() const {
  std::int64_t total = 0;
  for (std::int64_t b : blocks) total += b;
  return total;
}

namespace {

// Blocks for the distribution "log-uniform": sizes growing by factors of two, `copies` of each, below the largest, of
// which there are enough for `wanted` observations. None exceeds `most`, and n of that size always make a set.
std::vector<std::int64_t> growing_blocks(const CacheConfig& c, const CacheGroup& g, std::int64_t wanted,
                                         std::int64_t most) {
  std::vector<std::int64_t> blocks;
  const std::int64_t largest = std::max<std::int64_t>(1, g.n / c.pieces);
  std::int64_t total = 0;
  const auto add = [&](std::int64_t size) {
    if (total + size > most) return false;
    blocks.push_back(size);
    total += size;
    return true;
  };
  for (std::int64_t size = std::max<std::int64_t>(1, g.smallest / 16); size < largest; size *= 2)
    for (std::int64_t i = 0; i < c.copies; ++i) add(size);
  while (total < wanted && add(largest)) {
  }
  if (total < g.n) add(g.n - total);
  std::sort(blocks.rbegin(), blocks.rend());
  return blocks;
}

}  // namespace

std::vector<CacheGroup> plan_groups(const CacheConfig& c, bool list_law, const StoredSets* stored) {
  std::vector<CacheGroup> groups;
  for (std::size_t k = 0; k < c.sizes.size(); ++k) {
    CacheGroup g;
    g.n = c.sizes[k];
    g.smallest = k == 0 ? 1 : c.sizes[k - 1] + 1;
    const std::int64_t sets = c.sets.size() == 1 ? c.sets[0] : c.sets[k];
    g.validation = std::max<std::int64_t>(1, static_cast<std::int64_t>(static_cast<double>(sets) * c.validation));
    g.training = sets - g.validation;
    const auto wanted = static_cast<std::int64_t>(std::ceil(c.oversample * static_cast<double>(g.n)));
    const auto fill = [&](std::int64_t most) {
      if (c.mode == "fixed") {
        g.blocks = {g.n};
      } else if (list_law) {
        // Equal blocks: any `pieces` of them make a set of exactly n.
        const std::int64_t pieces = std::min(c.pieces, g.n), size = g.n / pieces;
        PAIRS_CHECK(g.n % pieces == 0, "{} equal blocks cannot make a set of {}", pieces, g.n);
        g.blocks.assign(static_cast<std::size_t>(std::min((wanted + size - 1) / size, most / size)), size);
      } else {
        g.blocks = growing_blocks(c, g, wanted, most);
      }
    };
    fill(std::numeric_limits<std::int64_t>::max());
    if (stored != nullptr) {
      const std::int64_t held = stored->observations(g.n, g.observations());
      if (held < g.n)
        fail_usage(
            "{} asks for N = {}, but no stored sets of every split hold so many observations; stop at N = {} or store "
            "larger sets",
            "cache.sizes"_key, g.n, stored->largest_n());
      if (held < g.observations()) fill(held);
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
