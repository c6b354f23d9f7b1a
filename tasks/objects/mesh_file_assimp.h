#pragma once

#include <string>
#include <string_view>

#include "tasks/objects/mesh_file.h"

namespace pairs {

// OBJ, STL or PLY by Assimp, which keeps places in float32. All meshes of the file are put together, points, lines and
// faces of fewer than three corners left out and counted; colours, normals, textures and the files that they name are
// not looked at. The numbers that a PLY header announces are held against the bytes there are before Assimp sees
// them. Throws Error with one sentence naming `where`: what Assimp refuses, a file without a face, places that are not
// finite, indices out of range.
MeshFile parse_with_assimp(std::string_view bytes, MeshFormat format, const std::string& where);

}  // namespace pairs
