#pragma once

#include <cstdint>

#include "core/base/random.h"

namespace pairs {

// A pseudo-random permutation of [0, n), evaluated at one position without a table: a four-round Feistel network on the
// smallest even power of two that holds n, walked until it lands inside. A pure function of (key, n, position).
inline std::uint64_t permuted(std::uint64_t key, std::uint64_t n, std::uint64_t position) {
  int half = 1;
  while ((1ull << (2 * half)) < n) ++half;
  const std::uint64_t mask = (1ull << half) - 1;
  std::uint64_t x = position;
  do {
    std::uint64_t left = x >> half, right = x & mask;
    for (std::uint32_t round = 0; round < 4; ++round) {
      const PhiloxBlock b =
          philox(key, static_cast<std::uint32_t>(right), static_cast<std::uint32_t>(right >> 32), round, 0x5045524du);
      const std::uint64_t mixed = (left ^ b.v[0]) & mask;
      left = right;
      right = mixed;
    }
    x = left << half | right;
  } while (x >= n);
  return x;
}

}  // namespace pairs
