#pragma once

#include <cstdint>
#include <vector>

#include "render/meshes/triangle_mesh.h"

namespace pairs {

// The handling of triangles over the same three corners in opposite directions.
enum class Twins { keep_one, drop_all };

// Vertices closer than this share of the longest side of the mesh's box, along each axis, are merged.
inline constexpr double merging_distance = 1e-8;

struct CleanSurface {
  TriangleMesh mesh;  // vertices at different places, each used; triangles with three different corners
  std::uint64_t degenerate = 0, duplicate = 0;  // triangles dropped
  bool twins = false;                           // some came in both directions
};

// Rule 1 of mesh_measure.h.
CleanSurface clean_surface(const TriangleMesh& mesh, Twins twins);

// The pieces of a surface that are connected along edges.
struct Shells {
  std::vector<std::uint32_t> shell;  // shell of each triangle
  std::uint32_t count = 0;
  std::uint64_t open_edges = 0;  // edges that could not be paired
  bool orientable = true;
  bool closed() const { return count > 0 && open_edges == 0 && orientable; }
};

// Rules 2 and 3: finds the shells of a clean surface and orients the triangles of each consistently, like the majority.
Shells find_shells(TriangleMesh& mesh);

}  // namespace pairs
