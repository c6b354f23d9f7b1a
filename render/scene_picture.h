#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "render/sphere_caster.h"
#include "render/sphere_scene.h"

namespace pairs {

// The quantity that a picture of a scene shows.
enum class SceneBuffer {
  color,
  depth,   // near is bright, from white to a quarter; black without a sphere
  normal,  // world x, y, z from -1 to 1 as red, green, blue; black without a sphere
  id,      // one color per sphere; black without a sphere
};
const std::vector<std::string>& scene_buffer_names();  // in the order of the enumeration

// Converts pixels in [0, 1], [3, H, W] on the CPU, to 8-bit RGB triples, rows from the top.
std::vector<std::uint8_t> rgb_bytes(const torch::Tensor& image);

// One view of a scene as [3, H, W] float32 in [0, 1], rendered on the CPU. Only colors are supersampled.
torch::Tensor scene_picture(const render::SphereScene& scene, const render::Camera& camera,
                            const render::CastOptions& options, SceneBuffer buffer);

}  // namespace pairs
