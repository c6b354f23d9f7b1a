#pragma once

#include <torch/types.h>

#include "render/sphere_limits.h"

namespace pairs::render {

// At 1.5 a sphere of the prior is cut by the image's edge in 0.3 % of views, and the mean squared difference from the
// mean image is 0.0079 at 64 by 64 (at 1.25: 11 % and 0.0105; at 1: 60 % and 0.0146; at 1.8: none and 0.0060).
inline constexpr double default_half_width = 1.5;
inline constexpr std::int64_t max_image_side = 8192, max_supersample = 16;

struct CastOptions {
  std::int64_t height = 64, width = 64;
  double half_width = default_half_width;  // half of the image plane's width in world units; pixels are square
  std::int64_t supersample = 1;            // colors are means over that many by that many rays per pixel
};

// Renders spheres (render/sphere_scene.h) in orthographic views. scenes [B, 7S + 5] float64; cameras [V, 2] float64
// (azimuth, elevation in radians); owner [V] int64: view v shows scene owner[v]. They may lie on any device; the work
// is done on `device`. Returns [V, 3, height, width] float32 in [0, 1], row 0 at the top. Where a sphere is nearest:
// its color * (a + (1 - a) * max(0, n . l)) with a = ambient_light, n the outward normal and l towards the light, no
// shadows; elsewhere the background. The result is bit-identical for any number of threads. Throws Error for shapes,
// types or options out of range, and for owners out of range if they lie on the CPU.
torch::Tensor cast_spheres(const torch::Tensor& scenes, const torch::Tensor& cameras, const torch::Tensor& owner,
                           const CastOptions& options, torch::Device device);

// The colors, and the other quantities at the center of each pixel, whatever the supersampling.
struct SphereBuffers {
  torch::Tensor color;   // [V, 3, H, W] float32, as cast_spheres
  torch::Tensor depth;   // [V, H, W] float32: along the view from the plane through the scene's center, larger is
                         // farther; infinity without a sphere
  torch::Tensor normal;  // [V, 3, H, W] float32: outward, in world coordinates; zero without a sphere
  torch::Tensor id;      // [V, H, W] int32: the sphere's index, -1 for none
};
SphereBuffers cast_sphere_buffers(const torch::Tensor& scenes, const torch::Tensor& cameras, const torch::Tensor& owner,
                                  const CastOptions& options, torch::Device device);

}  // namespace pairs::render
