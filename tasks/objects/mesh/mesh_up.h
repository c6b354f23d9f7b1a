#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "render/meshes/triangle_mesh.h"
#include "tasks/objects/mesh/mesh_file.h"

namespace pairs {

// The axis of a mesh file that points up. Cameras circle z.
enum class UpAxis { x, y, z };

// Parses "x", "y" or "z"; nothing for another text.
std::optional<UpAxis> up_axis(std::string_view text);
const char* up_text(UpAxis up);

// The up axis according to the file itself, and the evidence: a comment of its header ("up axis: y", "z-up"), or that
// Blender wrote the OBJ, whose exporter turns y up by default. Most files have none.
struct StatedUp {
  UpAxis up;
  std::string how;  // "as its header says"
};
std::optional<StatedUp> stated_up(std::string_view bytes, MeshFormat format);

// Rotates the mesh, without mirroring, so that `up` becomes z.
TriangleMesh turned_upright(TriangleMesh mesh, UpAxis up);

}  // namespace pairs
