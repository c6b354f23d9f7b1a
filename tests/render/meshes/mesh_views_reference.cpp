#include "tests/render/meshes/mesh_views_reference.h"

#include <ATen/ops/ones.h>

#include <algorithm>
#include <cmath>

#include "render/meshes/mesh_shading.h"

namespace pairs::render {
namespace {

struct Vector {
  double x, y, z;
};
Vector operator-(const Vector& a, const Vector& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
double inner(const Vector& a, const Vector& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
Vector outer(const Vector& a, const Vector& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

Vector corner_at(const TriangleMesh& mesh, std::size_t triangle, std::size_t corner) {
  const auto& v = mesh.vertices[mesh.triangles[triangle][corner]];
  return {v[0], v[1], v[2]};
}

// The gray that a ray sees.
double seen_by(const TriangleMesh& mesh, const Vector& eye, const Vector& direction, const Vector& forward) {
  double nearest = HUGE_VAL, gray = 1;
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    const Vector a = corner_at(mesh, t, 0), ab = corner_at(mesh, t, 1) - a, ac = corner_at(mesh, t, 2) - a;
    const Vector p = outer(direction, ac);
    const double determinant = inner(ab, p);
    if (determinant == 0) continue;
    const Vector from = eye - a, q = outer(from, ab);
    const double u = inner(from, p) / determinant, v = inner(direction, q) / determinant,
                 distance = inner(ac, q) / determinant;
    if (!(u >= 0 && v >= 0 && u + v <= 1 && distance > 0 && distance < nearest)) continue;
    nearest = distance;
    const Vector n = outer(ab, ac);
    const double length = std::sqrt(inner(n, n)), side = inner(n, direction) < 0 ? 1 : -1;
    const Vector light{shading::light[0], shading::light[1], shading::light[2]};
    gray = shading::ambient + shading::head * std::abs(inner(n, forward)) / length +
           shading::key * std::max(0.0, side * inner(n, light) / length);
  }
  return gray;
}

}  // namespace

torch::Tensor render_mesh_views_reference(const TriangleMesh& mesh, std::span<const MeshCamera> cameras,
                                          const ViewOptions& options) {
  check_view_options(options);
  const std::int64_t side = options.side;
  const BoundingSphere bounds = bounding_sphere(mesh);
  torch::Tensor out =
      at::ones({static_cast<std::int64_t>(cameras.size()), options.channels, side, side}, torch::kFloat64);
  auto value = out.accessor<double, 4>();
  for (std::size_t c = 0; c < cameras.size(); ++c) {
    const MeshCamera& camera = cameras[c];
    const double ca = std::cos(camera.azimuth), sa = std::sin(camera.azimuth), ce = std::cos(camera.elevation),
                 se = std::sin(camera.elevation), tangent = std::tan(camera.field_of_view / 2);
    const Vector forward{-ce * ca, -ce * sa, -se}, right{-sa, ca, 0}, up{-se * ca, -se * sa, ce};
    const double away = camera.distance * bounds.radius;
    const Vector eye{bounds.center[0] - away * forward.x, bounds.center[1] - away * forward.y,
                     bounds.center[2] - away * forward.z};
    for (std::int64_t row = 0; row < side; ++row)
      for (std::int64_t column = 0; column < side; ++column) {
        double sum = 0;
        for (std::int64_t s = 0; s < options.samples; ++s) {
          const PixelOffset place = options.samples == 1 ? one_sample[0] : four_samples[static_cast<std::size_t>(s)];
          const double x =
              tangent * (2 * (static_cast<double>(column) + 0.5 + place.x) / static_cast<double>(side) - 1);
          const double y = tangent * (1 - 2 * (static_cast<double>(row) + 0.5 + place.y) / static_cast<double>(side));
          sum += seen_by(mesh, eye,
                         {forward.x + x * right.x + y * up.x, forward.y + x * right.y + y * up.y,
                          forward.z + x * right.z + y * up.z},
                         forward);
        }
        for (std::int64_t channel = 0; channel < options.channels; ++channel)
          value[static_cast<std::int64_t>(c)][channel][row][column] = sum / static_cast<double>(options.samples);
      }
  }
  return out;
}

}  // namespace pairs::render
