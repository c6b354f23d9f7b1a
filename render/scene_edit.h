#pragma once

#include <cstddef>

#include "render/sphere_scene.h"

namespace pairs::render {

// Makes a scene possible again that a person has changed: every number goes to the nearest value within `limits`
// (colours to 0..1, angles into one turn), and sphere `kept`, the one just changed, stays where it is while others that
// it overlaps are pushed away along the line of centres, or shrunk where they cannot give way. An index beyond the
// spheres keeps none. Afterwards check_scene(scene, limits) holds.
void settle_scene(SphereScene& scene, std::size_t kept, const SceneLimits& limits = prior_limits);

}  // namespace pairs::render
