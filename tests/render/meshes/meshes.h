#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "core/base/numbers/random.h"
#include "render/meshes/triangle_mesh.h"

namespace pairs::render {

// The box [-x, x] x [-y, y] x [-z, z], twelve triangles facing outwards.
inline TriangleMesh box(double x, double y, double z) {
  TriangleMesh out;
  for (int k = 0; k < 8; ++k) out.vertices.push_back({k & 1 ? x : -x, k & 2 ? y : -y, k & 4 ? z : -z});
  out.triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                   {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  return out;
}

// A closed surface about the origin of 2 * around * rings triangles, at most `bumps` away from the unit sphere.
inline TriangleMesh bumpy_ball(std::uint32_t around, std::uint32_t rings, double bumps) {
  TriangleMesh out;
  for (std::uint32_t i = 0; i <= rings; ++i)
    for (std::uint32_t j = 0; j < around; ++j) {
      const double polar = std::numbers::pi * i / rings, turn = 2 * std::numbers::pi * j / around;
      const double r = 1 + bumps * std::sin(7 * polar) * std::cos(5 * turn);
      out.vertices.push_back(
          {r * std::sin(polar) * std::cos(turn), r * std::sin(polar) * std::sin(turn), r * std::cos(polar)});
    }
  for (std::uint32_t i = 0; i < rings; ++i)
    for (std::uint32_t j = 0; j < around; ++j) {
      const std::uint32_t a = i * around + j, b = i * around + (j + 1) % around, c = a + around, d = b + around;
      out.triangles.push_back({a, c, b});
      out.triangles.push_back({b, c, d});
    }
  return out;
}

// Triangles without order in the unit cube, through each other, of any orientation.
inline TriangleMesh scattered(std::uint64_t index, std::uint32_t count, double size) {
  TriangleMesh out;
  Stream stream(stream_key(3, Purpose::check), index);
  for (std::uint32_t t = 0; t < count; ++t) {
    const std::array<double, 3> at = {stream.uniform64(), stream.uniform64(), stream.uniform64()};
    for (int k = 0; k < 3; ++k)
      out.vertices.push_back(
          {at[0] + size * stream.uniform64(), at[1] + size * stream.uniform64(), at[2] + size * stream.uniform64()});
    out.triangles.push_back({3 * t, 3 * t + 1, 3 * t + 2});
  }
  return out;
}

}  // namespace pairs::render
