#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace pairs {

// Bytes of an array of this shape, or nothing if an extent is negative or the sizes and strides do not fit in 63 bits
// (extents of zero count as one for that, since strides are products as well).
inline std::optional<std::uint64_t> shape_bytes(std::span<const std::int64_t> shape, std::int64_t element) {
  std::int64_t product = element;
  bool empty = false;
  for (const std::int64_t extent : shape) {
    if (extent < 0) return std::nullopt;
    empty |= extent == 0;
    if (extent > 0 && __builtin_mul_overflow(product, extent, &product)) return std::nullopt;
  }
  return empty ? 0 : static_cast<std::uint64_t>(product);
}

}  // namespace pairs
