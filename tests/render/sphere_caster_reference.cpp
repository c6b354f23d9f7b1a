#include "tests/render/sphere_caster_reference.h"

#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>

#include <array>
#include <cmath>
#include <limits>

#include "render/sphere_scene.h"

namespace pairs::render {
namespace {

using Vector = std::array<double, 3>;

Vector operator+(const Vector& a, const Vector& b) {
  return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}
Vector operator*(double s, const Vector& a) {
  return {s * a[0], s * a[1], s * a[2]};
}
double dot(const Vector& a, const Vector& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
Vector cross(const Vector& a, const Vector& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
Vector toward(double azimuth, double elevation) {
  return {std::cos(elevation) * std::cos(azimuth), std::cos(elevation) * std::sin(azimuth), std::sin(elevation)};
}

struct Hit {
  double depth = std::numeric_limits<double>::infinity();
  Vector normal{0, 0, 0}, color;
  int id = -1;
};

// The first sphere on the ray origin + t * along. Depths are t, for the origin lies on the plane through the center.
Hit first_hit(const SphereScene& scene, const Vector& origin, const Vector& along) {
  Hit best;
  best.color = std::to_array(scene.background);
  for (std::size_t s = 0; s < scene.spheres.size(); ++s) {
    const Sphere& sphere = scene.spheres[s];
    const Vector to_origin = origin + -1.0 * std::to_array(sphere.center);
    const double b = dot(to_origin, along), c = dot(to_origin, to_origin) - sphere.radius * sphere.radius;
    if (b * b - c <= 0) continue;
    const double t = -b - std::sqrt(b * b - c);
    if (t >= best.depth) continue;
    best.depth = t;
    best.id = static_cast<int>(s);
    best.normal = 1.0 / sphere.radius * (to_origin + t * along);
    const double shade = std::max(0.0, dot(best.normal, toward(scene.light_azimuth, scene.light_elevation)));
    best.color = (ambient_light + (1.0 - ambient_light) * shade) * std::to_array(sphere.color);
  }
  return best;
}

}  // namespace

SphereBuffers cast_spheres_reference(const torch::Tensor& scenes, const torch::Tensor& cameras,
                                     const torch::Tensor& owner, const CastOptions& o) {
  const std::int64_t views = cameras.size(0);
  SphereBuffers out{at::zeros({views, 3, o.height, o.width}, torch::kFloat64),
                    at::zeros({views, o.height, o.width}, torch::kFloat64),
                    at::zeros({views, 3, o.height, o.width}, torch::kFloat64),
                    at::full({views, o.height, o.width}, -1, torch::kInt32)};
  auto color = out.color.accessor<double, 4>(), normal = out.normal.accessor<double, 4>();
  auto depth = out.depth.accessor<double, 3>();
  auto id = out.id.accessor<std::int32_t, 3>();
  for (std::int64_t v = 0; v < views; ++v) {
    const SphereScene scene = unpack_scene(scenes[owner[v].item<std::int64_t>()]);
    const Vector along = -1.0 * toward(cameras[v][0].item<double>(), cameras[v][1].item<double>());
    const Vector side = cross(along, {0, 0, 1});
    const Vector right = 1.0 / std::sqrt(dot(side, side)) * side, up = cross(right, along);
    const double pixel = 2.0 * o.half_width / static_cast<double>(o.width);  // its side in world units
    // The ray at (x, y) pixels from the image's upper left corner.
    const auto at = [&](double x, double y) {
      return first_hit(scene,
                       pixel * (x - 0.5 * static_cast<double>(o.width)) * right +
                           pixel * (0.5 * static_cast<double>(o.height) - y) * up,
                       along);
    };
    for (std::int64_t i = 0; i < o.height; ++i)
      for (std::int64_t j = 0; j < o.width; ++j) {
        const auto x = static_cast<double>(j), y = static_cast<double>(i), k = static_cast<double>(o.supersample);
        const Hit middle = at(x + 0.5, y + 0.5);
        depth[v][i][j] = middle.depth;
        id[v][i][j] = middle.id;
        Vector sum{0, 0, 0};
        for (std::int64_t a = 0; a < o.supersample; ++a)
          for (std::int64_t b = 0; b < o.supersample; ++b)
            sum = sum + at(x + (static_cast<double>(b) + 0.5) / k, y + (static_cast<double>(a) + 0.5) / k).color;
        for (int c = 0; c < 3; ++c) {
          normal[v][c][i][j] = middle.normal[static_cast<std::size_t>(c)];
          color[v][c][i][j] = sum[static_cast<std::size_t>(c)] / (k * k);
        }
      }
  }
  return out;
}

}  // namespace pairs::render
