#include "tasks/objects/mesh/mesh_measure.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "core/base/text/error.h"
#include "tasks/objects/mesh/mesh_file.h"
#include "tasks/objects/mesh/mesh_measure_enclosed.h"
#include "tasks/objects/mesh/mesh_measure_hull.h"
#include "tasks/objects/mesh/mesh_measure_surface.h"

namespace pairs {
namespace {

constexpr double flat_side = 1e-4;       // relative to the longest
constexpr double flat_hull = 1e-9;       // after normalization
constexpr double least_enclosed = 1e-6;  // relative to the hull
constexpr double rounding = 1e-9;

// Finds the bounding box of the used vertices; returns what is wrong with the mesh, else "".
std::string find_box(const TriangleMesh& mesh, std::array<double, 3>& low, std::array<double, 3>& high) {
  if (mesh.triangles.empty()) return "It has no triangle, so it is no surface.";
  low.fill(std::numeric_limits<double>::infinity());
  high.fill(-std::numeric_limits<double>::infinity());
  for (const auto& triangle : mesh.triangles)
    for (const std::uint32_t corner : triangle) {
      if (corner >= mesh.vertices.size()) return "A triangle's corner is beyond its last vertex.";
      for (std::size_t d = 0; d < 3; ++d) {
        const double x = mesh.vertices[corner][d];
        if (!std::isfinite(x)) return "It has a place that is not finite.";
        low[d] = std::min(low[d], x);
        high[d] = std::max(high[d], x);
      }
    }
  double longest = 0;
  for (std::size_t d = 0; d < 3; ++d) longest = std::max(longest, high[d] - low[d]);
  if (longest == 0) return "All of it lies in one point.";
  if (!std::isfinite(longest) || !std::isfinite(1 / longest)) return "It is too large or too small for float64.";
  return "";
}

std::array<double, 3> box_sides(const std::array<double, 3>& low, const std::array<double, 3>& high) {
  return {high[0] - low[0], high[1] - low[1], high[2] - low[2]};
}

// Moves and scales the mesh.
void normalize(TriangleMesh& mesh, const std::array<double, 3>& low, const std::array<double, 3>& high) {
  const std::array<double, 3> sides = box_sides(low, high);
  const double longest = *std::max_element(sides.begin(), sides.end());
  for (auto& place : mesh.vertices)
    for (std::size_t d = 0; d < 3; ++d) place[d] = (place[d] - low[d] - sides[d] / 2) / longest;
}

// The surface closed by rules 1 and 2, if possible.
struct Closing {
  CleanSurface surface;
  Shells shells;
};

Closing try_to_close(const TriangleMesh& mesh) {
  Closing closing{clean_surface(mesh, Twins::keep_one), {}};
  closing.shells = find_shells(closing.surface.mesh);
  if (closing.shells.closed() || !closing.surface.twins) return closing;
  Closing without{clean_surface(mesh, Twins::drop_all), {}};
  without.shells = find_shells(without.surface.mesh);
  return without.shells.closed() ? without : closing;
}

std::string why_hull(const Shells& shells, const std::optional<Enclosed>& enclosed, double hull) {
  if (shells.open_edges > 0) return "its surface is open";
  if (!shells.orientable) return "its surface has but one side";
  if (!enclosed) return "it has too many shells within shells";
  if (enclosed->volume < least_enclosed * hull) return "its surface encloses nothing";
  if (enclosed->volume > hull * (1 + rounding)) return "its parts overlap to more than their hull";
  return "";
}

}  // namespace

const std::vector<std::string>& mesh_rules() {
  static const std::vector<std::string> rules = {
      "A mesh is moved and scaled so that its bounding box is centered at the origin and its longest side is 1.",
      "The log aspect ratio is the natural logarithm of the longest over the shortest side of that box.",
      "Vertices at the same place, within 1e-8 of that side, are one; triangles with two corners in one place are "
      "dropped; of triangles over the "
      "same corners one is kept, or none where they are the wall between blocks that touch.",
      "The volume of a closed surface is what it encloses; cavities are taken off, solids within solids count once, "
      "parts that cut through each other count in full.",
      "The volume of an open surface, or of one that encloses nothing or more than its hull, is that of its convex "
      "hull.",
      "Flat meshes (a shortest side below 1e-4 of the longest) and files that cannot be read are set aside."};
  return rules;
}

MeshFacts measure_mesh(const TriangleMesh& mesh) {
  MeshFacts facts;
  std::array<double, 3> low{}, high{};
  facts.set_aside = find_box(mesh, low, high);
  if (!facts.set_aside.empty()) return facts;
  facts.extents = box_sides(low, high);
  const auto [shortest, longest] = std::minmax_element(facts.extents.begin(), facts.extents.end());
  Closing closing = try_to_close(mesh);
  TriangleMesh& surface = closing.surface.mesh;
  facts.vertices = surface.vertices.size();
  facts.triangles = surface.triangles.size();
  facts.degenerate = closing.surface.degenerate;
  facts.duplicate = closing.surface.duplicate;
  facts.open_edges = closing.shells.open_edges;
  if (*shortest < flat_side * *longest) {
    facts.set_aside = "It is flat, so it has neither a volume nor an aspect ratio.";
    return facts;
  }
  facts.log_aspect = std::log(*longest / *shortest);
  normalize(surface, low, high);
  std::optional<double> hull;
  try {
    hull = hull_volume(surface.vertices);
  } catch (const Error& error) {
    facts.set_aside = error.what();
    return facts;
  }
  if (!hull || *hull < flat_hull) {
    facts.set_aside = "It is flat, so it has no volume.";
    return facts;
  }
  facts.hull_volume = *hull;
  std::optional<Enclosed> enclosed;
  facts.closed = closing.shells.closed();
  if (facts.closed) {
    facts.shells = closing.shells.count;
    enclosed = enclosed_volume(surface, closing.shells);
    if (enclosed) {
      facts.enclosed_volume = enclosed->volume;
      facts.inverted = enclosed->inverted;
      facts.cavities = enclosed->cavities;
      facts.inner_solids = enclosed->inner_solids;
    }
  }
  facts.why = why_hull(closing.shells, enclosed, *hull);
  facts.rule = facts.why.empty() ? VolumeRule::enclosed : VolumeRule::hull;
  facts.volume = facts.rule == VolumeRule::enclosed ? facts.enclosed_volume : facts.hull_volume;
  return facts;
}

MeshFacts measure_mesh_file(const std::filesystem::path& file) {
  try {
    return measure_mesh(read_mesh_file(file).mesh);
  } catch (const Error& error) {
    MeshFacts facts;
    facts.set_aside = error.what();
    return facts;
  }
}

TriangleMesh normalized_mesh(const TriangleMesh& mesh) {
  std::array<double, 3> low{}, high{};
  const std::string problem = find_box(mesh, low, high);
  PAIRS_CHECK(problem.empty(), "A mesh cannot be brought to size: {}", problem);
  TriangleMesh out;
  std::vector<std::uint32_t> to(mesh.vertices.size(), std::numeric_limits<std::uint32_t>::max());
  for (const auto& triangle : mesh.triangles) {
    auto& corners = out.triangles.emplace_back(triangle);
    for (std::uint32_t& corner : corners) {
      std::uint32_t& place = to[corner];
      if (place == std::numeric_limits<std::uint32_t>::max()) {
        place = static_cast<std::uint32_t>(out.vertices.size());
        out.vertices.push_back(mesh.vertices[corner]);
      }
      corner = place;
    }
  }
  normalize(out, low, high);
  return out;
}

}  // namespace pairs
