#include "render/meshes/mesh_camera.h"

#include <algorithm>
#include <cmath>

#include "core/base/text/error.h"
#include "render/orthographic_camera.h"

namespace pairs::render {
namespace {

// Squares of such coordinates, and their sums, are finite.
constexpr double largest_coordinate = 1e150;

}  // namespace

BoundingSphere bounding_sphere(const TriangleMesh& mesh) {
  BoundingSphere out;
  if (mesh.triangles.empty()) return out;
  std::array<double, 3> low, high;
  low.fill(HUGE_VAL);
  high.fill(-HUGE_VAL);
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
    for (const std::uint32_t corner : mesh.triangles[t]) {
      PAIRS_CHECK(corner < mesh.vertices.size(),
                  "Triangle {} of a mesh names vertex {}, but the mesh has {}; check the mesh", t, corner,
                  mesh.vertices.size());
      for (std::size_t d = 0; d < 3; ++d) {
        const double value = mesh.vertices[corner][d];
        PAIRS_CHECK(std::abs(value) <= largest_coordinate,
                    "Vertex {} of a mesh has the coordinate {}, which cannot be drawn; check the mesh", corner, value);
        low[d] = std::min(low[d], value);
        high[d] = std::max(high[d], value);
      }
    }
  for (std::size_t d = 0; d < 3; ++d) out.center[d] = 0.5 * (low[d] + high[d]);
  double most = 0;
  for (const auto& triangle : mesh.triangles)
    for (const std::uint32_t corner : triangle) {
      double square = 0;
      for (std::size_t d = 0; d < 3; ++d) {
        const double from = mesh.vertices[corner][d] - out.center[d];
        square += from * from;
      }
      most = std::max(most, square);
    }
  out.radius = std::sqrt(most);
  return out;
}

void check_camera_range(const MeshCameraRange& range) {
  constexpr double right_angle = std::numbers::pi / 2;
  PAIRS_CHECK(range.lowest >= -right_angle && range.highest <= right_angle && range.lowest <= range.highest,
              "Cameras cannot be drawn with elevations from {} to {} radians; choose a range within [-pi/2, pi/2]",
              range.lowest, range.highest);
  PAIRS_CHECK(range.field_of_view > 0.01 && range.field_of_view < 3,
              "A camera cannot have a field of view of {} radians; choose one between 0.01 and 3", range.field_of_view);
  PAIRS_CHECK(range.margin >= 1 && range.margin <= 100,
              "A camera cannot stand at {} times the distance at which the mesh fits; choose between 1 and 100",
              range.margin);
}

MeshCamera draw_mesh_camera(std::uint64_t seed, Purpose purpose, std::uint64_t index, std::uint64_t item,
                            const MeshCameraRange& range) {
  check_camera_range(range);
  Stream stream(stream_key(seed, purpose), index, item);
  MeshCamera out;
  out.azimuth = 2 * std::numbers::pi * stream.uniform64();
  out.elevation = range.lowest + (range.highest - range.lowest) * stream.uniform64();
  out.distance = range.margin / std::sin(range.field_of_view / 2);
  out.field_of_view = range.field_of_view;
  return out;
}

MeshCameraFrame camera_frame(const MeshCamera& camera) {
  PAIRS_CHECK(std::isfinite(camera.azimuth) && std::isfinite(camera.elevation),
              "A camera cannot stand at azimuth {} and elevation {}; give finite angles", camera.azimuth,
              camera.elevation);
  PAIRS_CHECK(camera.distance > 1 && camera.distance <= 1e4,
              "A camera cannot stand {} radii from the middle of a mesh; choose more than 1 and at most 10000",
              camera.distance);
  PAIRS_CHECK(camera.field_of_view > 0 && camera.field_of_view < std::numbers::pi,
              "A camera cannot have a field of view of {} radians; choose one within (0, pi)", camera.field_of_view);
  const CameraBasis basis = camera_basis(camera.azimuth, camera.elevation);
  const double half = std::tan(camera.field_of_view / 2);
  MeshCameraFrame out;
  for (std::size_t d = 0; d < 3; ++d) {
    out.forward[d] = basis.forward[d];
    out.eye[d] = -camera.distance * basis.forward[d];
    out.right[d] = half * basis.right[d];
    out.up[d] = half * basis.up[d];
  }
  return out;
}

}  // namespace pairs::render
