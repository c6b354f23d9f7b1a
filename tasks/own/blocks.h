#pragma once

#include <cstdint>

#include "core/base/numbers/random.h"

namespace pairs::own {

// The observations of a set that a program simulates in one call.
struct ItemBlock {
  std::uint64_t number;       // index of the block in its set
  std::int64_t first, count;  // observations
};

// The block that holds observation `item`, a pure function of both. Sizes of blocks double, so that pairs need one call
// and any prefix of a set at most twice its observations, up to 4,096 per call. Sets of stages 2 and 3 and
// of a learned likelihood are simulated whole: they begin with a block of 32.
inline ItemBlock block_of(Purpose purpose, std::int64_t item) {
  constexpr std::int64_t kLargest = 4096;
  const bool whole = purpose == Purpose::finetune || purpose == Purpose::finetune_validation ||
                     purpose == Purpose::likelihood;
  std::int64_t end = whole ? 32 : 2;  // of the first block, which begins at 0
  std::uint64_t number = 0;
  if (item < end) return {0, 0, end};
  while (item >= 2 * end && end < kLargest) {
    end *= 2;
    ++number;
  }
  if (end < kLargest) return {number + 1, end, end};
  const std::int64_t more = (item - end) / kLargest;
  return {number + 1 + static_cast<std::uint64_t>(more), end + more * kLargest, kLargest};
}

}  // namespace pairs::own
