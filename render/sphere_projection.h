#pragma once

#include <cmath>
#include <cstdint>

#include "render/orthographic_camera.h"

namespace pairs::render {

// A sphere as seen by a view's grid of rays. The ray (column j, row i) passes its center at u to the right and v above,
// in radii; both are measured from the ray nearest to the center, which keeps them exact in float32.
struct ProjectedSphere {
  std::int32_t column, row;  // of the nearest ray, which may lie outside the image
  float u, v;                // of that ray
  float step;                // from ray to ray
  float depth, radius;       // of the center along the view, in world units
  float color[3];
};

// The light in the view's own axes: right, up, towards the camera.
struct ProjectedLight {
  float right, up, toward;
};

PAIRS_HOST_DEVICE inline double nearest_ray(double x) {
  constexpr double far = 1 << 20;  // NaN lands here too and then hides the sphere
  return std::floor((x < far ? (x > -far ? x : -far) : far) + 0.5);
}

// sphere: center, radius, color as in a scene's row; `height` by `width` rays over an image plane of half-width
// `half_width`.
PAIRS_HOST_DEVICE inline ProjectedSphere project_sphere(const double* sphere, const CameraBasis& basis,
                                                        double half_width, double height, double width) {
  const double column = 0.5 * ((dot3(sphere, basis.right) / half_width + 1.0) * width - 1.0);
  const double row = 0.5 * (height - 1.0 - dot3(sphere, basis.up) / half_width * width);
  const double near_column = nearest_ray(column), near_row = nearest_ray(row);
  const double radius = sphere[3], step = 2.0 * half_width / (width * radius);
  ProjectedSphere out;
  out.column = static_cast<std::int32_t>(near_column);
  out.row = static_cast<std::int32_t>(near_row);
  out.u = static_cast<float>((near_column - column) * step);
  out.v = static_cast<float>((row - near_row) * step);
  out.step = static_cast<float>(step);
  out.depth = static_cast<float>(dot3(sphere, basis.forward));
  out.radius = static_cast<float>(radius);
  for (int c = 0; c < 3; ++c) out.color[c] = static_cast<float>(sphere[4 + c]);
  return out;
}

PAIRS_HOST_DEVICE inline ProjectedLight project_light(double azimuth, double elevation, const CameraBasis& basis) {
  double light[3];
  direction_of(azimuth, elevation, light);
  return {static_cast<float>(dot3(light, basis.right)), static_cast<float>(dot3(light, basis.up)),
          static_cast<float>(-dot3(light, basis.forward))};
}

}  // namespace pairs::render
