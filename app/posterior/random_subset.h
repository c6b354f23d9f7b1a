#pragma once

#include <cstdint>

#include "app/kinds/observation_room.h"
#include "core/sets/observations.h"

namespace pairs {

// `size` of the observations x, each equally likely by the seed, in the order in which they are drawn: a smaller subset
// by the same seed is the beginning of a larger one.
Observations random_subset(const Observations& x, std::int64_t size, std::uint64_t seed);
// The same of a file, of which no more is held than is drawn.
Observations random_subset(ObservedRows& rows, std::int64_t size, std::uint64_t seed);

}  // namespace pairs
