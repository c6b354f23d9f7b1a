#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "render/meshes/triangle_mesh.h"

namespace pairs {

// How a mesh's volume is defined.
enum class VolumeRule { enclosed, hull };

// Facts about one mesh. The targets of the task are `volume` and `log_aspect`; the paper names them and leaves their
// definitions open. Ours:
//
// Normalization: the mesh is moved and scaled, not rotated, so that the axis-aligned bounding box of its triangles is
// centered at the origin and its longest side is 1. Meshes come in arbitrary units (ModelNet's chairs are 1 high, its
// aeroplanes 1600 long), which views do not show; the box frames the cameras, and unlike a smallest sphere or the
// principal axes it depends neither on how finely a part is tessellated nor on a search. Volumes lie between 0 and 1.
//
// Log aspect ratio: the natural logarithm of the longest over the shortest side of that box: 0 for a cube, rarely above
// 4. ModelNet's meshes are upright along z and aligned with the other axes, so that the box is the object's own; the
// logarithm makes a ladder and a door differ from a cube by comparable amounts.
//
// Volume, without a logarithm (as in the paper), after normalization, by these rules in order:
// 1. Vertices within 1e-8 of the box's longest side along each axis are merged. Triangles with two merged corners are
// dropped; flat ones with three corners stay, because they connect the surface. Of triangles over the same three
// corners one is kept; if the surface is then not closed, and some of them had opposite directions (the wall between
// two blocks that touch), all of these are dropped instead.
// 2. A surface is closed if each edge belongs to two triangles, and all can be oriented so that they pass it in
// opposite directions. At an edge of four or more (parts that touch along it) the triangles are paired with the solid
// between them, according to their original directions.
// 3. Pieces that are connected along edges are shells. Each is oriented like most of its triangles, and encloses the
// integral of the divergence theorem. An outer shell counts in full in either orientation. A shell within another is a
// cavity if it has the opposite orientation, and otherwise part of a solid that is already counted. Shells that
// intersect each other each count in full.
// 4. The volume is that of the convex hull if the mesh is not closed as a whole, encloses next to nothing (less than
// 1e-6 of its hull), encloses more than its hull, or has too many nested shells to resolve.
// 5. Meshes are set aside if they have no triangle, have coordinates that are not finite, or are flat (a shortest side
// below 1e-4 of the longest, or a hull below 1e-9).
// mesh_rules() returns these rules as sentences.
struct MeshFacts {
  double volume = 0, log_aspect = 0;  // after normalization
  VolumeRule rule = VolumeRule::hull;
  bool closed = false;
  double enclosed_volume = 0, hull_volume = 0;  // after normalization; enclosed_volume is 0 unless closed
  std::array<double, 3> extents{};              // sides of the bounding box in the file's unit
  std::uint64_t vertices = 0, triangles = 0;    // after rule 1
  std::uint64_t degenerate = 0, duplicate = 0;  // triangles that rule 1 dropped
  std::uint64_t open_edges = 0;                 // of other than two triangles, or pairs of them
  std::uint32_t shells = 0, inverted = 0, cavities = 0, inner_solids = 0;  // of a closed surface
  std::string why;                                                         // why the rule is the hull, a few words
  std::string set_aside;  // why it cannot be used, one sentence; empty if it can
};

// The rules above, one sentence each.
const std::vector<std::string>& mesh_rules();

// Never throws for problems of the mesh: those are in set_aside.
MeshFacts measure_mesh(const TriangleMesh& mesh);

// Reads the file and measures it; a file that cannot be read is set aside with the reader's sentence.
MeshFacts measure_mesh_file(const std::filesystem::path& file);

// The mesh moved and scaled by the normalization above, without unused vertices. Throws Error for one without extent.
TriangleMesh normalized_mesh(const TriangleMesh& mesh);

}  // namespace pairs
