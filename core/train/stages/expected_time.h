#pragma once

#include <string>

#include "core/train/settings/stages.h"

namespace pairs {

// The range in which a time is expected to lie, in seconds.
struct TimeRange {
  double least = 0, most = 0;
};

// The expected range for work that takes `seconds` on an idle machine according to an ExpectedCost: measurements are
// uncertain by a quarter, and `threads` threads take longer under the present load of other processes.
TimeRange expected_range(const ExpectedCost& need, double seconds, double threads);

// "8 to 14 minutes", "about 2 hours", "under a second".
std::string range_text(const TimeRange& range);

}  // namespace pairs
