#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "render/meshes/triangle_mesh.h"

namespace pairs {

enum class MeshFormat { off, obj, stl, ply };

// The limit per file; larger ones are refused before anything is read.
inline constexpr std::uint64_t kLargestMeshFile = 256ull << 20;

// The content of one file, with all of its meshes combined into one surface. Nothing is merged, dropped or rotated: see
// mesh_measure.h.
struct MeshFile {
  TriangleMesh mesh;           // at least one triangle, finite coordinates, indices in range
  std::uint64_t polygons = 0;  // faces with more than three corners, divided into triangles
  std::uint64_t flawed = 0;    // points, lines and faces with fewer than three corners, skipped
  std::uint64_t parts = 1;     // meshes in the file
};

// The format by the name's extension, in either case; nothing for unsupported files.
std::optional<MeshFormat> mesh_format(const std::filesystem::path& file);

// The unsupported mesh format that a name stands for ("a GLB file"); "" for other names.
std::string unread_mesh_name(const std::filesystem::path& file);

// The supported formats, for sentences.
inline constexpr const char* kMeshFormats = "OFF, OBJ, STL and PLY";

// Reads an OFF file (mesh_file_off.h) or, through Assimp, OBJ, STL or PLY (mesh_file_assimp.h). The format follows from
// the first bytes if these are conclusive, else from the name. The file is untrusted. Throws Error with one sentence
// that names the file and the problem.
MeshFile read_mesh_file(const std::filesystem::path& file);
// Parses a mesh in memory; `where` names the source in errors.
MeshFile parse_mesh(std::string_view bytes, MeshFormat format, const std::string& where);

}  // namespace pairs
