#include "tasks/objects/mesh_file.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text.h"
#include "tasks/objects/mesh_file_assimp.h"
#include "tasks/objects/mesh_file_off.h"

namespace pairs {

std::optional<MeshFormat> mesh_format(const std::filesystem::path& file) {
  static constexpr std::array<std::pair<std::string_view, MeshFormat>, 4> endings = {
      {{".off", MeshFormat::off}, {".obj", MeshFormat::obj}, {".stl", MeshFormat::stl}, {".ply", MeshFormat::ply}}};
  std::string ending = file.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  for (const auto& [name, format] : endings)
    if (ending == name) return format;
  return std::nullopt;
}

MeshFile parse_mesh(std::string_view bytes, MeshFormat format, const std::string& where) {
  PAIRS_CHECK(!bytes.empty(), "{} is empty: get it again", where);
  return format == MeshFormat::off ? parse_off(bytes, where) : parse_with_assimp(bytes, format, where);
}

MeshFile read_mesh_file(const std::filesystem::path& file) {
  const std::string where = printable(file.string(), 300);
  const std::optional<MeshFormat> format = mesh_format(file);
  PAIRS_CHECK(format.has_value(), "{} is no mesh that can be read: its name must end in .off, .obj, .stl or .ply",
              where);
  return parse_mesh(read_file(file, kLargestMeshFile), *format, where);
}

}  // namespace pairs
