#pragma once

#include <cstdint>
#include <string_view>

#include "core/sets/observations.h"

namespace pairs {

// Observations read from lines of text, one per line.
class ObservationLines {
 public:
  virtual ~ObservationLines() = default;
  // Adds a line, without its end. Throws Error naming the invalid line and value.
  virtual void take(std::string_view line) = 0;
  // The number of lines omitted so far for a missing value (Missing::drop).
  virtual std::int64_t dropped() const { return 0; }
  // The observations since the last call, float32; undefined if there are none.
  virtual Observations gather() = 0;
};

}  // namespace pairs
