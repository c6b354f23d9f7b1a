#include "tasks/objects/mesh/mesh_file.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "tasks/objects/mesh/mesh_file_assimp.h"
#include "tasks/objects/mesh/mesh_file_off.h"

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

std::string unread_mesh_name(const std::filesystem::path& file) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 30> endings = {
      {{".glb", "a GLB file"},        {".gltf", "a glTF file"},     {".fbx", "an FBX file"},
       {".dae", "a COLLADA file"},    {".3ds", "a 3DS file"},       {".3mf", "a 3MF file"},
       {".amf", "an AMF file"},       {".blend", "a Blender file"}, {".x3d", "an X3D file"},
       {".wrl", "a VRML file"},       {".vrml", "a VRML file"},     {".stp", "a STEP file"},
       {".step", "a STEP file"},      {".igs", "an IGES file"},     {".iges", "an IGES file"},
       {".ifc", "an IFC file"},       {".dxf", "a DXF file"},       {".lwo", "a LightWave file"},
       {".ase", "an ASE file"},       {".ac", "an AC3D file"},      {".ac3d", "an AC3D file"},
       {".ms3d", "a MilkShape file"}, {".cob", "a TrueSpace file"}, {".md5mesh", "an MD5 file"},
       {".usd", "a USD file"},        {".usdz", "a USD file"},      {".vtk", "a VTK file"},
       {".vtp", "a VTK file"},        {".msh", "a Gmsh file"},      {".mesh", "a Medit file"}}};
  std::string ending = file.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  for (const auto& [name, format] : endings)
    if (ending == name) return std::string(format);
  return "";
}

namespace {

// The unsupported mesh format of a file according to its first bytes; "" if they are inconclusive.
std::string_view unread_mesh_kind(std::string_view bytes) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 11> kinds = {
      {{"glTF", "a GLB file"},
       {"Kaydara FBX", "an FBX file"},
       {"; FBX", "an FBX file"},
       {"PK\x03\x04", "an archive, as 3MF files are"},
       {"\x1f\x8b", "compressed by gzip (unpack it)"},
       {"BLENDER", "a Blender file"},
       {"#VRML", "a VRML file"},
       {"ISO-10303", "a STEP file"},
       {"<?xml", "an XML file, as COLLADA and X3D are"},
       {"MeshVersionFormatted", "a Medit file"},
       {"# vtk", "a VTK file"}}};
  for (const auto& [begin, kind] : kinds)
    if (bytes.starts_with(begin)) return kind;
  return "";
}

}  // namespace

MeshFile parse_mesh(std::string_view bytes, MeshFormat format, const std::string& where) {
  PAIRS_CHECK(!bytes.empty(), "{} is empty: get it again", where);
  PAIRS_CHECK(!bytes.starts_with("\xff\xfe") && !bytes.starts_with("\xfe\xff"),
              "{} is text in UTF-16; save it as UTF-8 or plain ASCII", where);
  if (const std::string_view kind = unread_mesh_kind(bytes); !kind.empty())
    fail("{} is {}, and not what its name states; meshes are read from {} files: convert it to one of these", where,
         kind, kMeshFormats);
  const std::string_view line = bytes.substr(0, std::min(bytes.find_first_of("\r\n"), bytes.size()));
  if (line == "ply") format = MeshFormat::ply;
  if (line == "OFF" || line == "COFF") format = MeshFormat::off;
  return format == MeshFormat::off ? parse_off(bytes, where) : parse_with_assimp(bytes, format, where);
}

MeshFile read_mesh_file(const std::filesystem::path& file) {
  const std::string where = printable(file.string(), 300);
  const std::optional<MeshFormat> format = mesh_format(file);
  if (const std::string kind = unread_mesh_name(file); !kind.empty())
    fail_usage("{} is {}, which is not read; meshes are read from {} files: convert it to one of these", where, kind,
               kMeshFormats);
  PAIRS_CHECK(format.has_value(), "{} is no mesh that can be read: its name must end in .off, .obj, .stl or .ply",
              where);
  return parse_mesh(read_file(file, kLargestMeshFile), *format, where);
}

}  // namespace pairs
