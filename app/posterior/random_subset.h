#pragma once

#include <cstdint>

#include "core/sets/observations.h"

namespace pairs {

// `size` of the observations x, each equally likely by the seed, in the order in which they are drawn: a smaller subset
// by the same seed is the beginning of a larger one.
Observations random_subset(const Observations& x, std::int64_t size, std::uint64_t seed);

}  // namespace pairs
