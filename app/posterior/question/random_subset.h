#pragma once

#include <cstdint>

#include "app/kinds/observation_room.h"
#include "core/sets/observations.h"

namespace pairs {

// A uniform random subset of `size` observations by the seed, in the order of drawing: a smaller subset by the same
// seed is the beginning of a larger one.
Observations random_subset(const Observations& x, std::int64_t size, std::uint64_t seed);
// A random subset of a file, of which only the subset is held in memory.
Observations random_subset(ObservedRows& rows, std::int64_t size, std::uint64_t seed);

}  // namespace pairs
