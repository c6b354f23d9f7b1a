#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "render/sphere_caster.h"
#include "render/sphere_scene.h"

namespace pairs {

// What a picture of a scene can show.
enum class SceneBuffer {
  color,
  depth,   // near is bright, from white to a quarter; black where there is no sphere
  normal,  // world x, y, z from -1 to 1 as red, green, blue; black where there is no sphere
  id,      // a colour a sphere; black where there is none
};
const std::vector<std::string>& scene_buffer_names();  // in the order of the enumeration

// Pixels in [0, 1], [3, H, W] on the CPU, as 8-bit RGB triples, rows from the top.
std::vector<std::uint8_t> rgb_bytes(const torch::Tensor& image);

// One view of a scene as [3, H, W] float32 in [0, 1], cast on the CPU. Only colours are supersampled.
torch::Tensor scene_picture(const render::SphereScene& scene, const render::Camera& camera,
                            const render::CastOptions& options, SceneBuffer buffer);

}  // namespace pairs
