#pragma once

#include <array>

#include "render/meshes/triangle_mesh.h"
#include "tasks/objects/mesh/mesh_source.h"

namespace pairs {

// Numbers that describe a surface's shape and are invariant when it is moved, rotated by quarter turns, scaled, divided
// into other triangles or written with its corners shared or not, in any order: with the longest side of its bounding
// box as 1, the logarithm of its area, the eigenvalues of its second moments by area (the largest first), and the other
// two sides of the box (the longer first). All zeros for a surface without area.
MeshForm mesh_form(const TriangleMesh& mesh);

// Whether two objects are the same, up to the precision of formats (float32, or six digits).
bool same_form(const MeshForm& a, const MeshForm& b);

// The part of an object by its form, 60 to 20 to 20: objects of the same form are in the same part.
MeshSplit split_of_form(const MeshForm& form);

}  // namespace pairs
