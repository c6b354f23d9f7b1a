#pragma once

#include <array>
#include <cstdint>
#include <numbers>

#include "core/base/numbers/random.h"
#include "render/meshes/triangle_mesh.h"

namespace pairs::render {

// The sphere around a mesh that frames its views, in the mesh's unit.
struct BoundingSphere {
  std::array<double, 3> center{};
  double radius = 0;
};

// The center is the center of the axis-parallel box around the corners of all triangles (vertices without a triangle
// are ignored). The radius is the largest distance of such a corner from it; 0 for a mesh without triangles. Throws
// Error for a triangle whose corner does not exist or has a coordinate that is not finite or above 1e150.
BoundingSphere bounding_sphere(const TriangleMesh& mesh);

// A perspective camera that looks at the center of the bounding sphere, z up, without roll. Angles in radians: azimuth
// from the x axis towards the y axis, elevation above the plane z = 0.
struct MeshCamera {
  double azimuth = 0, elevation = 0;
  double distance = 0;       // of the eye from the center in radii of the sphere, above 1
  double field_of_view = 0;  // full angle between the image's left and right border, in (0, pi)
};

// The distribution of cameras: azimuth uniform in [0, 2 pi), elevation uniform in [lowest, highest], and the distance
// at which the image of the bounding sphere touches the border, times `margin`.
struct MeshCameraRange {
  double lowest = -std::numbers::pi / 12, highest = std::numbers::pi / 3;  // radians within [-pi/2, pi/2]
  double field_of_view = 2 * std::numbers::pi / 9;                         // radians
  double margin = 1.05;                                                    // 1 or more

  bool operator==(const MeshCameraRange&) const = default;
};

// Throws Error if a number is out of its range.
void check_camera_range(const MeshCameraRange& range);

// Camera `item` of mesh `index`: a pure function of its arguments.
MeshCamera draw_mesh_camera(std::uint64_t seed, Purpose purpose, std::uint64_t index, std::uint64_t item,
                            const MeshCameraRange& range = {});

// Where a camera is relative to the center, in radii, and the vectors that span its view: the point of the image at (x,
// y), both in [-1, 1] with y upwards, is seen along forward + x right + y up.
struct MeshCameraFrame {
  std::array<double, 3> eye, forward, right, up;  // right and up are as long as tan(field_of_view / 2)
};
// Throws Error for a camera inside the sphere or with numbers out of range.
MeshCameraFrame camera_frame(const MeshCamera& camera);

}  // namespace pairs::render
