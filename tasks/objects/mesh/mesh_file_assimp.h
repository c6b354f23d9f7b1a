#pragma once

#include <string>
#include <string_view>

#include "tasks/objects/mesh/mesh_file.h"

namespace pairs {

// Parses OBJ, STL or PLY by Assimp, which stores coordinates in float32. All meshes of the file are combined; points,
// lines and faces with fewer than three corners are skipped and counted; colors, normals, textures and referenced files
// are ignored. The counts in a PLY header are checked against the file's size before Assimp sees them. Throws Error
// with one sentence naming `where`: for what Assimp refuses, a file without a face, coordinates that are not finite,
// indices out of range.
MeshFile parse_with_assimp(std::string_view bytes, MeshFormat format, const std::string& where);

}  // namespace pairs
