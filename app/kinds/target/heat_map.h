#pragma once

#include <array>
#include <cstdint>

namespace pairs {

// A color of the map "inferno" (Smith and van der Walt), whose lightness increases uniformly from black to light
// yellow: `share` from 0 to 1; red, green, blue.
std::array<std::uint8_t, 3> heat_color(double share);

}  // namespace pairs
