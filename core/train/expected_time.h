#pragma once

#include <string>

#include "core/train/stages.h"

namespace pairs {

// Between what and what a time is expected to lie, in seconds.
struct TimeRange {
  double least = 0, most = 0;
};

// Of work that takes `seconds` with the machine to itself, as an ExpectedCost tells it: what was measured leaves a
// quarter open, and beside other processes, as they work now, `threads` threads take longer.
TimeRange expected_range(const ExpectedCost& need, double seconds, double threads);

// "8 to 14 minutes", "about 2 hours", "under a second".
std::string range_text(const TimeRange& range);

}  // namespace pairs
