#pragma once

#include <array>

#include "render/meshes/triangle_mesh.h"
#include "tasks/objects/mesh_source.h"

namespace pairs {

// What a surface is like, in numbers that stay the same when it is moved, turned by quarters, scaled, cut into other
// triangles or written with its corners shared or not, in any order: with the longest side of its bounding box as 1,
// the logarithm of its area, the eigenvalues of its second moments by area (the largest first), and the other two sides
// of the box (the longer first). All zeros for a surface without area.
MeshForm mesh_form(const TriangleMesh& mesh);

// Whether two objects are one, as far as formats keep numbers (float32, or six digits).
bool same_form(const MeshForm& a, const MeshForm& b);

// The part of an object by its form, 60 to 20 to 20: objects of one form stand in one part.
MeshSplit split_of_form(const MeshForm& form);

}  // namespace pairs
