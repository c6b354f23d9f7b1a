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

// What is known of one mesh. The targets of the task are `volume` and `log_aspect`; the paper names them and leaves
// their definitions open. Ours:
//
// Normalisation: moved and scaled, not turned, so that the axis-aligned bounding box of its triangles is centred at the
// origin and its longest side is 1. Meshes come in units of their makers (ModelNet's chairs are 1 high, its aeroplanes
// 1600 long), which no view tells; the box is what a camera is placed by, and unlike a smallest sphere or the principal
// axes it depends neither on how finely a part is tessellated nor on a search. Volumes lie between 0 and 1.
//
// Log aspect ratio: the natural logarithm of the longest over the shortest side of that box: 0 for a cube, rarely above
// 4. ModelNet's meshes stand upright along z and lie along the other axes, so that the box is the object's own; the
// logarithm makes a ladder and a door differ from a cube by comparable amounts.
//
// Volume, as it is (the paper takes no logarithm), after normalisation, by these rules in order:
// 1. Vertices at the same place, within 1e-8 of the box's longest side along each axis, are one. Triangles with two corners there are dropped; flat
//    ones with three corners stay, as the surface hangs together through them. Of triangles over the same three
//    corners one is kept; where that leaves a surface that does not close, and some came in both directions (the wall
//    between two blocks that touch), these are all dropped instead.
// 2. A surface is closed when each edge belongs to two triangles, and all can be turned so that they pass it in
// opposite
//    directions. At an edge of four or more (parts that touch along it) the triangles are taken in pairs with the solid
//    between them, where their directions as given tell it.
// 3. Pieces that hang together along edges are shells. Each is turned as most of its triangles are, and encloses the
//    integral of the divergence theorem. A shell in the open counts in full whichever way it is turned. A shell within
//    another is a cavity where it is turned the other way, and part of a solid that is counted already where it is not.
//    Shells that cut through each other count in full, each.
// 4. A mesh that is not closed as a whole, encloses next to nothing (less than 1e-6 of its hull), more than its hull,
// or
//    has too many shells within shells to tell, has the volume of its convex hull.
// 5. Set aside are meshes without a triangle or with places that are not finite, and flat ones (a shortest side below
//    1e-4 of the longest, or a hull below 1e-9).
// mesh_rules() says the same for people.
struct MeshFacts {
  double volume = 0, log_aspect = 0;  // after normalisation
  VolumeRule rule = VolumeRule::hull;
  bool closed = false;
  double enclosed_volume = 0, hull_volume = 0;  // after normalisation; enclosed_volume is 0 unless closed
  std::array<double, 3> extents{};              // sides of the bounding box in the file's unit
  std::uint64_t vertices = 0, triangles = 0;    // after rule 1
  std::uint64_t degenerate = 0, duplicate = 0;  // triangles that rule 1 dropped
  std::uint64_t open_edges = 0;                 // of other than two triangles, or pairs of them
  std::uint32_t shells = 0, inverted = 0, cavities = 0, inner_solids = 0;  // of a closed surface
  std::string why;        // why the rule is the hull, a few words
  std::string set_aside;  // why it cannot be used, one sentence; empty if it can
};

// The rules above, one sentence each.
const std::vector<std::string>& mesh_rules();

// Never throws for problems of the mesh: those are in set_aside.
MeshFacts measure_mesh(const TriangleMesh& mesh);

// Reads the file and measures it; a file that cannot be read is set aside with the reader's sentence.
MeshFacts measure_mesh_file(const std::filesystem::path& file);

// The mesh moved and scaled by the normalization above, without unused vertices. Throws Error for one without extent.
TriangleMesh normalised_mesh(const TriangleMesh& mesh);

}  // namespace pairs
