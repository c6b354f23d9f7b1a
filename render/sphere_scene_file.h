#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "render/sphere_scene.h"

namespace pairs::render {

// A scene as a TOML file, angles in degrees:
//   background = [0.1, 0.1, 0.15]
//   [light]
//   azimuth = 40
//   elevation = 45
//   [sphere.1]
//   center = [0, 0, 0.2]
//   radius = 0.3
//   color = [0.9, 0.2, 0.1]
// and so on with sphere.2 up to sphere.16; omitted parts of background and light keep SphereScene's values. Reading
// throws a usage Error for invalid keys and values, an Error for a file that cannot be read or a scene outside
// world_limits; both name the file. Angles are restored up to the last bit, everything else exactly.
SphereScene read_scene(const std::filesystem::path& file);
SphereScene parse_scene(std::string_view text, const std::string& where);
std::string scene_text(const SphereScene& scene);
void write_scene(const std::filesystem::path& file, const SphereScene& scene);

}  // namespace pairs::render
