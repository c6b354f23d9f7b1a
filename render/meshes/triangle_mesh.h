#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace pairs {

// A surface of triangles, as plain data: coordinates in any unit, corners counter-clockwise as seen from outside if the
// surface has an outside.
struct TriangleMesh {
  std::vector<std::array<double, 3>> vertices;
  std::vector<std::array<std::uint32_t, 3>> triangles;  // indices of vertices, all in range
};

}  // namespace pairs
