#pragma once

#include <array>
#include <cstdint>

namespace pairs {

// A colour of the map "inferno" (Smith and van der Walt), whose lightness grows evenly from black to a light yellow:
// `share` from 0 to 1, red, green, blue.
std::array<std::uint8_t, 3> heat_color(double share);

}  // namespace pairs
