#include "tasks/objects/mesh/mesh_file_assimp.h"

#include <assimp/mesh.h>
#include <assimp/scene.h>

#include <algorithm>
#include <assimp/IOSystem.hpp>
#include <assimp/Importer.hpp>
#include <cmath>
#include <limits>
#include <span>
#include <string>

#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "tasks/objects/mesh/mesh_file_ply.h"
#include "tasks/objects/mesh/mesh_file_polygon.h"

namespace pairs {
namespace {

// Prevents a file from leading to others (an OBJ's materials).
class NoOtherFiles : public Assimp::IOSystem {
 public:
  bool Exists(const char*) const override { return false; }
  char getOsSeparator() const override { return '/'; }
  Assimp::IOStream* Open(const char*, const char*) override { return nullptr; }
  void Close(Assimp::IOStream*) override {}
};

// Assimp selects its reader by this extension.
const char* ending_of(MeshFormat format) {
  switch (format) {
    case MeshFormat::obj:
      return "obj";
    case MeshFormat::stl:
      return "stl";
    default:
      return "ply";
  }
}

// An OBJ without the lines that begin groups, objects and materials, if there are so many that Assimp, which searches
// all of them for each, would take minutes; "" otherwise. Faces and vertices do not change, because the parts are
// combined anyway.
std::string without_groups(std::string_view bytes) {
  constexpr std::size_t kMostGroups = 2000;
  const auto begins_group = [&](std::size_t at) {
    for (const std::string_view word : {"g ", "o ", "g\t", "o\t", "g\n", "g\r", "usemtl "})
      if (bytes.substr(at, word.size()) == word) return true;
    return false;
  };
  const auto each_line = [&](auto&& take) {
    for (std::size_t at = 0, end = 0; at < bytes.size(); at = end + 1) {
      end = std::min(bytes.find('\n', at), bytes.size());
      take(at, std::min(end + 1, bytes.size()));
    }
  };
  std::size_t groups = 0;
  each_line([&](std::size_t at, std::size_t) { groups += begins_group(at) ? 1 : 0; });
  if (groups <= kMostGroups) return "";
  std::string out;
  out.reserve(bytes.size());
  each_line([&](std::size_t at, std::size_t end) {
    if (!begins_group(at)) out += bytes.substr(at, end - at);
  });
  return out;
}

// An STL in the form that Assimp expects: for a binary file only the bytes of the announced triangles, for a text no
// blanks before its first word, and words in lower case. Throws Error for a binary file that is cut short or whose
// count is wrong.
std::string_view usual_stl(std::string_view bytes, std::string& own, const std::string& where) {
  constexpr std::size_t kHead = 84, kTriangle = 50;
  std::string_view text = bytes.substr(bytes.starts_with("\xef\xbb\xbf") ? 3 : 0);
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n\v\f"), text.size()));
  const auto is_solid = [](std::string_view word) {
    return word.size() >= 5 && std::equal(word.begin(), word.begin() + 5, "solid", [](char a, char b) {
             return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b;
           });
  };
  // Some programs begin even binary files with "solid".
  if (is_solid(text) && bytes.substr(0, 4096).find('\0') == bytes.npos) {
    if (text.starts_with("solid")) return text;
    own = text;
    for (char& c : own)
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return own;
  }
  PAIRS_CHECK(bytes.size() >= kHead, "{} is no STL: it neither begins with 'solid' nor holds the head of a binary one",
              where);
  std::uint64_t count = 0;
  for (std::size_t k = 4; k-- > 0;) count = count << 8 | static_cast<unsigned char>(bytes[80 + k]);
  const std::uint64_t needed = kHead + kTriangle * count,
                      more = bytes.size() - std::min<std::uint64_t>(needed, bytes.size());
  PAIRS_CHECK(needed <= bytes.size(),
              "{} is cut short, or no STL: it announces {} triangles and holds {}; get it again", where, count,
              (bytes.size() - kHead) / kTriangle);
  PAIRS_CHECK(more < kTriangle || more % kTriangle != 0,
              "{} announces {} triangles and holds {}: its count is wrong; save it again", where, count,
              (bytes.size() - kHead) / kTriangle);
  return bytes.substr(0, needed);
}

void append(const aiMesh& part, MeshFile& file, PolygonCutter& cutter, std::vector<std::uint32_t>& corners,
            const std::string& where) {
  const std::size_t first = file.mesh.vertices.size();
  PAIRS_CHECK(first + part.mNumVertices <= std::numeric_limits<std::uint32_t>::max(),
              "{} has more vertices than can be counted; simplify it", where);
  PAIRS_CHECK(part.mNumVertices == 0 || part.mVertices != nullptr, "{} has a part without places: it is damaged",
              where);
  for (const aiVector3D& place : std::span(part.mVertices, part.mNumVertices)) {
    PAIRS_CHECK(std::isfinite(place.x) && std::isfinite(place.y) && std::isfinite(place.z),
                "{} has a vertex ({}, {}, {}), which is no place; get it again", where, place.x, place.y, place.z);
    file.mesh.vertices.push_back({place.x, place.y, place.z});
  }
  if (part.mFaces == nullptr) return;
  for (const aiFace& face : std::span(part.mFaces, part.mNumFaces)) {
    corners.clear();
    for (const unsigned corner : std::span(face.mIndices, face.mNumIndices)) {
      PAIRS_CHECK(corner < part.mNumVertices, "{} has a face whose corner {} is beyond the last of {} vertices", where,
                  corner, part.mNumVertices);
      corners.push_back(static_cast<std::uint32_t>(first) + corner);
    }
    cutter.add(corners);
  }
}

}  // namespace

MeshFile parse_with_assimp(std::string_view bytes, MeshFormat format, const std::string& where) {
  PAIRS_CHECK(!bytes.empty() && bytes.size() <= kLargestMeshFile, "{} is empty or larger than {}", where,
              byte_text(kLargestMeshFile));
  if (format == MeshFormat::ply) check_ply_counts(bytes, where);
  std::string joined = format == MeshFormat::obj ? without_groups(bytes) : "";
  if (!joined.empty()) bytes = joined;
  if (format != MeshFormat::stl && bytes.starts_with("\xef\xbb\xbf")) bytes.remove_prefix(3);
  if (format == MeshFormat::stl) bytes = usual_stl(bytes, joined, where);
  Assimp::Importer importer;
  importer.SetIOHandler(new NoOtherFiles);
  const aiScene* scene = nullptr;
  std::string complaint;
  try {
    scene = importer.ReadFileFromMemory(bytes.data(), bytes.size(), 0, ending_of(format));
    if (scene == nullptr) complaint = importer.GetErrorString();
  } catch (const std::exception& error) {
    complaint = sentence(error);
  }
  // Messages of its containers for a number that is negative or far too large.
  for (const char* const words : {"bad_alloc", "basic_string", "vector::", "length_error", "not enough memory"})
    if (complaint.find(words) != complaint.npos) complaint = "a count in it is negative, or larger than the file";
  // The name that it gives to data in memory.
  if (complaint.find("___magic___") != complaint.npos) complaint = "its bytes are those of no such file";
  PAIRS_CHECK(scene != nullptr, "{} cannot be read ({}); get it again, or convert it to OFF", where,
              printable(complaint.empty() ? "Assimp gives no reason" : complaint, 160));
  MeshFile file;
  file.parts = scene->mNumMeshes;
  PolygonCutter cutter(file, where);
  std::vector<std::uint32_t> corners;
  for (const aiMesh* part : std::span(scene->mMeshes, scene->mNumMeshes))
    if (part != nullptr) append(*part, file, cutter, corners, where);
  PAIRS_CHECK(!file.mesh.triangles.empty(), "{} has no face of three or more corners: it is no surface", where);
  return file;
}

}  // namespace pairs
