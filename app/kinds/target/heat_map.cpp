#include "app/kinds/target/heat_map.h"

#include <algorithm>
#include <cmath>

namespace pairs {
namespace {

// Colors at equal steps of one ninth.
constexpr std::array<std::uint32_t, 10> kStops = {0x000004, 0x1B0C41, 0x4A0C6B, 0x781C6D, 0xA52C60,
                                                  0xCF4446, 0xED6925, 0xFB9B06, 0xF7D13D, 0xFCFFA4};

}  // namespace

std::array<std::uint8_t, 3> heat_color(double share) {
  const double at = std::isfinite(share) ? std::clamp(share, 0.0, 1.0) * (kStops.size() - 1) : 0;
  const auto low = std::min(static_cast<std::size_t>(at), kStops.size() - 2);
  const double part = at - static_cast<double>(low);
  std::array<std::uint8_t, 3> out{};
  for (std::size_t c = 0; c < 3; ++c) {
    const int shift = 16 - 8 * static_cast<int>(c);
    const double a = (kStops[low] >> shift) & 255, b = (kStops[low + 1] >> shift) & 255;
    out[c] = static_cast<std::uint8_t>(std::lround(a + part * (b - a)));
  }
  return out;
}

}  // namespace pairs
