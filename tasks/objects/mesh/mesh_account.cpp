#include "tasks/objects/mesh/mesh_account.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cctype>

#include "core/base/system/caches.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "tasks/objects/mesh/measured_meshes.h"
#include "tasks/objects/mesh/mesh_folder.h"
#include "tasks/objects/mesh/mesh_measure.h"

namespace pairs {
namespace {

constexpr std::string_view kCopy = "It is the same as ";

// The part of a sentence about a mesh that others may share: without its name and numbers.
std::string shared_reason(const MeshAside& one) {
  if (one.why.starts_with(kCopy)) return "It is the same as another.";
  std::string text = one.why;
  for (std::size_t at; !one.label.empty() && (at = text.find(one.label)) != text.npos;)
    text.replace(at, one.label.size(), "The file");
  std::string out;
  const auto digit = [&](std::size_t k) {
    return k < text.size() && std::isdigit(static_cast<unsigned char>(text[k]));
  };
  for (std::size_t k = 0; k < text.size(); ++k) {
    if (!digit(k)) {
      out += text[k];
      continue;
    }
    out += "…";
    while (digit(k + 1) || (k + 1 < text.size() && (text[k + 1] == '.' || text[k + 1] == ',') && digit(k + 2))) ++k;
  }
  return out;
}

}  // namespace

FoundData find_mesh_data(const std::string& folder) {
  FoundData out;
  out.files.push_back({"a folder of meshes", ""});
  try {
    const std::filesystem::path at = find_meshes(folder).folder;
    if (at.empty()) {
      out.problem = folder.empty() ? "no folder of meshes is named" : "it holds no mesh (.off, .obj, .stl or .ply)";
      return out;
    }
    out.files[0].at = at.string();
    const auto source = open_mesh_folder(at);
    out.source = source->name();
    // If forms determine the parts, --check reports them.
    for (std::size_t k = 0; k < source->size(); ++k)
      ++(!source->divided_by_form() && source->split(k) == MeshSplit::test ? out.test : out.training);
    const std::vector<std::string> others = meshes_left_out(folder, at);
    if (!others.empty())
      out.notes.push_back(
          fmt::format("Meshes are read below {} alone; {} next to it {} meshes, too, and {} left out: name it, or the "
                      "folder that holds all of them, with --data",
                      printable(at.string(), 300), fmt::join(others, ", "), others.size() == 1 ? "holds" : "hold",
                      others.size() == 1 ? "is" : "are"));
  } catch (const Error& error) {
    out.problem = error.what();
  }
  return out;
}

DataAccount account_of_meshes(const std::string& folder, const Preparation& follow) {
  const std::filesystem::path at = find_meshes(folder).folder;
  PAIRS_CHECK(!at.empty(), "There are no meshes in {}", printable(folder, 300));
  const auto source = open_mesh_folder(at);
  const MeasuredMeshes measured =
      measure_meshes(*source, caches_folder(), 0, follow.stop, [&](std::size_t done, std::size_t total) {
        if (follow.progress)
          follow.progress("meshes", static_cast<std::int64_t>(done), static_cast<std::int64_t>(total));
      });
  const auto part = [&](MeshSplit split) {
    return static_cast<std::int64_t>(measured.parts[static_cast<std::size_t>(split)]);
  };
  DataAccount out;
  out.counts = {{"meshes for stage 1", part(MeshSplit::pretrain)},
                {"meshes for stages 2 and 3", part(MeshSplit::finetune)},
                {"meshes for tests", part(MeshSplit::test)},
                {"of these with the volume that they enclose", static_cast<std::int64_t>(measured.enclosed)},
                {"of these with the volume of their convex hull", static_cast<std::int64_t>(measured.hull)}};
  for (const MeshAside& one : measured.set_aside) {
    const std::string reason = shared_reason(one);
    out.set_aside.push_back({one.label, reason, one.why == reason ? "" : one.why});
  }
  out.notes = mesh_rules();
  return out;
}

}  // namespace pairs
