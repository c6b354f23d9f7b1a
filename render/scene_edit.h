#pragma once

#include <cstddef>

#include "render/sphere_scene.h"

namespace pairs::render {

// Makes an edited scene valid again: every number moves to the nearest value within `limits` (colors to 0..1, angles
// into one turn), and sphere `kept`, which was just changed, stays in place while spheres that overlap it are pushed
// away along the line of centers, or shrunk if they cannot move. An index beyond the spheres keeps none. Afterwards
// check_scene(scene, limits) holds.
void settle_scene(SphereScene& scene, std::size_t kept, const SceneLimits& limits = prior_limits);

}  // namespace pairs::render
