#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tasks/objects/mesh_file.h"

namespace pairs {

// Cuts the faces of a file into triangles that keep their direction: convex ones as a fan about their first corner,
// those with dents by clipping ears in the plane of their normal. Cutting adds no corner and leaves none out, so that
// the surface stays as closed as it was.
class PolygonCutter {
 public:
  // The places are those of file.mesh, which outlive the cutter; `where` stands in messages.
  PolygonCutter(MeshFile& file, const std::string& where) : file_(file), where_(where) {}

  // A face by its corners, whose indices are in range; fewer than three are counted as flawed. Throws Error when the
  // dented faces of this file are so large that cutting them would take long.
  void add(std::span<const std::uint32_t> corners);

 private:
  bool is_convex(std::span<const std::uint32_t> corners);
  void clip_ears(std::span<const std::uint32_t> corners);
  void add_triangle(std::uint32_t a, std::uint32_t b, std::uint32_t c) { file_.mesh.triangles.push_back({a, b, c}); }

  MeshFile& file_;
  const std::string& where_;
  std::vector<std::array<double, 2>> flat_;  // the face's corners in its plane, turning left
  std::vector<std::uint32_t> ring_;          // those not yet clipped
  std::uint64_t tests_left_ = 1ull << 29;    // corner against ear
};

}  // namespace pairs
