#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tasks/objects/mesh/mesh_file.h"

namespace pairs {

// Divides the faces of a file into triangles that keep their direction: convex ones as a fan from their first corner,
// others by clipping ears in the plane of their normal. No corner is added or dropped, so that the surface stays as
// closed as it was.
class PolygonCutter {
 public:
  // The vertices are those of file.mesh, which must outlive the cutter; `where` names the source in errors.
  PolygonCutter(MeshFile& file, const std::string& where) : file_(file), where_(where) {}

  // Adds a face by its corners, whose indices are in range; faces with fewer than three are counted as flawed. Throws
  // Error if the non-convex faces of this file are so large that dividing them would take long.
  void add(std::span<const std::uint32_t> corners);

 private:
  bool is_convex(std::span<const std::uint32_t> corners);
  void clip_ears(std::span<const std::uint32_t> corners);
  void add_triangle(std::uint32_t a, std::uint32_t b, std::uint32_t c) { file_.mesh.triangles.push_back({a, b, c}); }

  MeshFile& file_;
  const std::string& where_;
  std::vector<std::array<double, 2>> flat_;  // the face's corners in its plane, counter-clockwise
  std::vector<std::uint32_t> ring_;          // corners not yet clipped
  std::uint64_t tests_left_ = 1ull << 29;    // tests of a corner against an ear
};

}  // namespace pairs
