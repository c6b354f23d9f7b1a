#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "render/meshes/triangle_mesh.h"

namespace pairs {

enum class MeshFormat { off, obj, stl, ply };

// Of one file; more is refused before anything is read.
inline constexpr std::uint64_t kLargestMeshFile = 256ull << 20;

// What one file holds, all of its meshes put together into one surface. Nothing is merged, dropped or turned: see
// mesh_measure.h.
struct MeshFile {
  TriangleMesh mesh;           // at least one triangle, finite places, indices in range
  std::uint64_t polygons = 0;  // faces of more than three corners, cut into triangles
  std::uint64_t flawed = 0;    // points, lines and faces of fewer than three corners, left out
  std::uint64_t parts = 1;     // meshes that the file held
};

// By the ending of the name, in either case; nothing for files that hold no mesh that is read.
std::optional<MeshFormat> mesh_format(const std::filesystem::path& file);

// Which format of meshes that are not read a name stands for ("a GLB file"); "" for other names.
std::string unread_mesh_name(const std::filesystem::path& file);

// The formats that are read, for sentences.
inline constexpr const char* kMeshFormats = "OFF, OBJ, STL and PLY";

// Reads an OFF file (mesh_file_off.h) or, through Assimp, OBJ, STL or PLY (mesh_file_assimp.h). What a file is follows
// from its first bytes where these say so, else from its name. The file is taken as hostile. Throws Error with one
// sentence that names the file and what is wrong with it.
MeshFile read_mesh_file(const std::filesystem::path& file);
// The same from memory; `where` stands in messages.
MeshFile parse_mesh(std::string_view bytes, MeshFormat format, const std::string& where);

}  // namespace pairs
