#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tasks/objects/generated/generated_body.h"

namespace pairs::generated {

// One piece of a composite solid: its distance is below 0 inside.
struct Piece {
  enum Kind { box, ellipsoid, cylinder, capsule, ring } kind = box;
  Point at{};
  std::array<Point, 3> axes{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};  // orthonormal
  // Half sides along the axes. Cylinder and capsule: radius, unused, half length along the third axis. Ring: radius of
  // its circle, unused, radius of its tube; about the third axis.
  Point half{1, 1, 1};
  bool cut = false;  // subtracted instead of added
};

// The union of the added pieces minus the cut ones, in their order; joins are rounded over lengths of about `smooth`
// (polynomial smooth minimum).
struct ImplicitSolid {
  std::vector<Piece> pieces;
  double smooth = 0;

  // Below 0 inside; near a surface approximately the distance to it.
  double at(const Point& p) const;
};

// Adds the solid's surface to the body by marching tetrahedra over a grid with `cells` cells along the added pieces'
// longest extent (six tetrahedra per cell): always closed, at places where `at` changes sign, linear between nodes.
// Returns false and adds nothing if no node is inside.
bool add_implicit(Body& body, const ImplicitSolid& solid, int cells);

}  // namespace pairs::generated
