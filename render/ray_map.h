#pragma once

#include <torch/types.h>

#include <string>
#include <vector>

namespace pairs::render {

// What a ray map contains for each pixel's ray.
enum class RayMap {
  origin,  // 3 channels: where the ray meets the plane through the scene's center, in units of the image's half-width
  direction,  // 3 channels: the ray's direction; the same at every pixel of an orthographic view
  pluecker,   // 6 channels: direction, then moment (origin x direction)
};

// The names used in settings, in the order of the enumeration. Throws a usage Error for an unknown name.
const std::vector<std::string>& ray_map_names();
RayMap ray_map_named(const std::string& name);
std::int64_t ray_map_channels(RayMap kind);

// cameras [V, 2] (azimuth, elevation in radians; any device) -> [V, 3 or 6, height, width] float32 on `device`. The map
// is in units of the image's half-width and therefore independent of it. On a GPU it uses ray_map_in_place.
torch::Tensor ray_map(const torch::Tensor& cameras, RayMap kind, std::int64_t height, std::int64_t width,
                      torch::Device device);

// Equal to ray_map up to rounding, computed by LibTorch's operations on the cameras' device: no value leaves it.
torch::Tensor ray_map_in_place(const torch::Tensor& cameras, RayMap kind, std::int64_t height, std::int64_t width);

}  // namespace pairs::render
