#pragma once

#include <cstdint>
#include <vector>

#include "core/stored_sets.h"
#include "core/task.h"
#include "core/train/settings/config.h"

namespace pairs {

// Sets cached together: each stores the means of its blocks of consecutive observations, largest block first. Any union
// of blocks is a valid set of the same θ (docs/explanation/training.md, "The cache of blocks").
struct CacheGroup {
  std::int64_t n = 0;                         // serves sizes in (previous group's n, n]
  std::int64_t smallest = 1;                  // smallest size it serves
  std::int64_t training = 0, validation = 0;  // sets
  std::vector<std::int64_t> blocks;           // sizes, descending

  std::int64_t observations() const;  // per set
  std::int64_t sets() const { return training + validation; }
};

// The groups that a configuration requires. For stored sets, groups hold no more observations than the sets do, so that
// cache.oversample is an upper bound. Throws a usage error if no stored set holds enough for a size.
std::vector<CacheGroup> plan_groups(const CacheConfig& cache, bool list_law, const StoredSets* stored = nullptr);

// How many numbers of θ a cached set stores: d, or 0 if θ is an image or comes with conditions, which are recalled from
// the set's index instead.
std::int64_t cached_targets(const TaskInfo& task);

// The index, in its source, of a group's set; a pure function of its arguments. Training sets come first, then
// validation sets. Later generations have new training sets.
std::int64_t cached_set_index(std::size_t group, const CacheGroup& layout, std::int64_t set, std::int64_t generation);
// The purpose of such a set: a task may take a validation set's observations from other data.
Purpose cached_set_purpose(std::int64_t index);

}  // namespace pairs
