#pragma once

#include <cstdint>

namespace pairs::render {

// Constants of the sphere caster, for host and device.
inline constexpr std::int64_t max_spheres = 16;  // in a scene
inline constexpr double ambient_light = 0.2;     // the share of a color that is visible without light

}  // namespace pairs::render
