#pragma once

#include <cstdint>
#include <cstring>

// Helpers for loops over floats that the compiler vectorizes. Each including file is compiled for several instruction
// sets, so the functions are private to it (static).

// Asserts that the pointers of the next loop are equal or disjoint, which the compiler cannot know.
#if defined(__clang__)
#define PAIRS_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define PAIRS_INDEPENDENT _Pragma("GCC ivdep")
#endif

namespace pairs::ops {

[[maybe_unused]] static inline std::int32_t bits_of(float x) {
  std::int32_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}
[[maybe_unused]] static inline float float_of(std::int32_t bits) {
  float x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

}  // namespace pairs::ops
