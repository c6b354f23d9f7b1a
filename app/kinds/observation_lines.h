#pragma once

#include <cstdint>
#include <string_view>

#include "core/sets/observations.h"

namespace pairs {

// Observations that come as lines of text, one a line.
class ObservationLines {
 public:
  virtual ~ObservationLines() = default;
  // The next line, without its end. Throws Error naming line and value that are wrong.
  virtual void take(std::string_view line) = 0;
  // Lines with a missing value that were left out so far (Missing::drop).
  virtual std::int64_t dropped() const { return 0; }
  // The observations of the lines since the last call, float32; undefined where there are none.
  virtual Observations gather() = 0;
};

}  // namespace pairs
