#pragma once

#include <cstdlib>

namespace pairs {

// Whether tests should take all their sizes, sets and repetitions (PAIRS_LONG_TESTS=1) instead of those that are
// likeliest to fail.
inline bool long_tests() {
  return std::getenv("PAIRS_LONG_TESTS") != nullptr;
}

}  // namespace pairs
