#pragma once

#include <torch/types.h>

#include <string>
#include <vector>

namespace pairs::render {

// What a ray map tells a network about each pixel's ray.
enum class RayMap {
  origin,  // 3 channels: where the ray meets the plane through the scene's centre, in units of the image's half-width
  direction,  // 3 channels: where the ray goes; the same at every pixel of an orthographic view
  pluecker,   // 6 channels: direction, then moment (origin x direction)
};

// As settings name them, in the order of the enumeration. Throws a usage Error for a name that is none of them.
const std::vector<std::string>& ray_map_names();
RayMap ray_map_named(const std::string& name);
std::int64_t ray_map_channels(RayMap kind);

// cameras [V, 2] (azimuth, elevation in radians; any device) -> [V, 3 or 6, height, width] float32 on `device`.
// The map is in units of the image's half-width and so does not depend on it. On a GPU by ray_map_in_place.
torch::Tensor ray_map(const torch::Tensor& cameras, RayMap kind, std::int64_t height, std::int64_t width,
                      torch::Device device);

// The same to rounding, in LibTorch's operations where the cameras are: no value leaves the device.
torch::Tensor ray_map_in_place(const torch::Tensor& cameras, RayMap kind, std::int64_t height, std::int64_t width);

}  // namespace pairs::render
