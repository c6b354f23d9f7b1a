#include "tasks/objects/mesh/mesh_up.h"

#include <algorithm>
#include <cctype>
#include <regex>
#include <tuple>
#include <utility>

namespace pairs {
namespace {

constexpr std::size_t kHeader = 4096, kLongestComment = 200;

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return std::tolower(c); });
  return out;
}

// Whether a line of the header is a comment.
bool comment(const std::string& line, MeshFormat format) {
  switch (format) {
    case MeshFormat::off:
    case MeshFormat::obj:
      return line.starts_with('#');
    case MeshFormat::ply:
      return line.starts_with("comment") || line.starts_with("obj_info");
    case MeshFormat::stl:
      return line.starts_with("solid");
  }
  return false;
}

}  // namespace

std::optional<UpAxis> up_axis(std::string_view text) {
  if (text == "x") return UpAxis::x;
  if (text == "y") return UpAxis::y;
  if (text == "z") return UpAxis::z;
  return {};
}

const char* up_text(UpAxis up) {
  return up == UpAxis::x ? "x" : up == UpAxis::y ? "y" : "z";
}

std::optional<StatedUp> stated_up(std::string_view bytes, MeshFormat format) {
  static const std::regex before(R"((?:^|[^a-z0-9])\+?([xyz])[ _-]?(?:axis[ _-]?)?(?:is[ _-])?up(?:$|[^a-z0-9]))");
  static const std::regex after(
      R"((?:^|[^a-z0-9])up(?:[ _-]?(?:axis|vector))?(?: is)? ?[:=]? ?\+?([xyz])(?:$|[^a-z0-9]))");
  std::string_view rest = bytes.substr(0, kHeader);
  bool blender = false;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find_first_of("\r\n"), rest.size());
    const std::string line = lower(rest.substr(0, std::min(end, kLongestComment)));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (!comment(line, format)) continue;
    std::smatch match;
    if (std::regex_search(line, match, before) || std::regex_search(line, match, after))
      return StatedUp{*up_axis(match[1].str()), "as its header states"};
    blender |= line.find("blender") != line.npos;
  }
  if (blender && format == MeshFormat::obj) return StatedUp{UpAxis::y, "as Blender writes OBJ files"};
  return {};
}

TriangleMesh turned_upright(TriangleMesh mesh, UpAxis up) {
  if (up == UpAxis::z) return mesh;
  for (auto& [x, y, z] : mesh.vertices) {
    // A quarter turn about the remaining axis.
    if (up == UpAxis::y)
      std::tie(y, z) = std::pair(-z, y);
    else
      std::tie(x, z) = std::pair(-z, x);
  }
  return mesh;
}

}  // namespace pairs
