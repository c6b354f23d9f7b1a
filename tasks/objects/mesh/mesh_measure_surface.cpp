#include "tasks/objects/mesh/mesh_measure_surface.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>
#include <span>
#include <utility>

namespace pairs {
namespace {

using Place = std::array<double, 3>;
using Corners = std::array<std::uint32_t, 3>;

constexpr std::uint32_t nothing = std::numeric_limits<std::uint32_t>::max();
constexpr double same_angle = 1e-6;  // radians; triangles at smaller angles coincide up to rounding

// Finds the first vertex within a distance of a place along each axis, using a hash table with room for twice as many.
// Space is divided into cells of four times that distance; only cells that may hold such a vertex are searched, usually
// one.
class PlaceTable {
 public:
  PlaceTable(std::size_t most, const Place& low, double distance)
      : slots_(std::bit_ceil(2 * most + 2), nothing), low_(low), distance_(distance) {}

  std::uint32_t find_or_add(const Place& place, std::vector<Place>& places) {
    const Cell own = cell_of(place);
    std::array<std::array<std::int64_t, 2>, 3> sides;  // the cells to search along each axis
    for (std::size_t d = 0; d < 3; ++d) {
      const double within = (place[d] - low_[d]) / width() - static_cast<double>(own[d]);
      sides[d] = {own[d], own[d] + (within < 0.25 ? -1 : within > 0.75 ? 1 : 0)};
    }
    std::uint32_t found = nothing;
    for (int k = 0; k < 8; ++k) {
      Cell cell;
      bool again = false;
      for (std::size_t d = 0; d < 3; ++d) {
        const bool other = (k >> d & 1) != 0;
        again = again || (other && sides[d][1] == sides[d][0]);
        cell[d] = sides[d][other ? 1 : 0];
      }
      if (!again) found = std::min(found, find(cell, place, places));
    }
    if (found != nothing) return found;
    std::size_t at = first_slot(own);
    while (slots_[at] != nothing) at = (at + 1) & (slots_.size() - 1);
    slots_[at] = static_cast<std::uint32_t>(places.size());
    places.push_back(place);
    return slots_[at];
  }

 private:
  using Cell = std::array<std::int64_t, 3>;

  double width() const { return 4 * distance_; }
  Cell cell_of(const Place& place) const {
    Cell cell;
    for (std::size_t d = 0; d < 3; ++d) cell[d] = static_cast<std::int64_t>(std::floor((place[d] - low_[d]) / width()));
    return cell;
  }
  std::size_t first_slot(const Cell& cell) const {
    std::uint64_t hash = 0;
    for (const std::int64_t x : cell) {
      hash ^= static_cast<std::uint64_t>(x);
      hash = (hash ^ (hash >> 29)) * 0xbf58476d1ce4e5b9ull;
      hash ^= hash >> 32;
    }
    return hash & (slots_.size() - 1);
  }
  // The first vertex of the cell that is near enough.
  std::uint32_t find(const Cell& cell, const Place& place, const std::vector<Place>& places) const {
    std::uint32_t found = nothing;
    for (std::size_t at = first_slot(cell); slots_[at] != nothing; at = (at + 1) & (slots_.size() - 1)) {
      const Place& other = places[slots_[at]];
      bool near = true;
      for (std::size_t d = 0; d < 3; ++d) near = near && std::abs(other[d] - place[d]) <= distance_;
      if (near) found = std::min(found, slots_[at]);
    }
    return found;
  }

  std::vector<std::uint32_t> slots_;
  Place low_;
  double distance_;
};

// Merges the vertices that triangles use into `places`; to[v] is the new index of vertex v.
std::vector<std::uint32_t> merge(const std::vector<Place>& vertices, const std::vector<Corners>& triangles,
                                 std::vector<Place>& places) {
  std::vector<std::uint32_t> to(vertices.size(), nothing);
  if (triangles.empty()) return to;
  Place low = vertices[triangles.front()[0]], high = low;
  for (const Corners& corners : triangles)
    for (const std::uint32_t corner : corners)
      for (std::size_t d = 0; d < 3; ++d) {
        low[d] = std::min(low[d], vertices[corner][d]);
        high[d] = std::max(high[d], vertices[corner][d]);
      }
  const double longest = std::max({high[0] - low[0], high[1] - low[1], high[2] - low[2]});
  PlaceTable table(vertices.size(), low, merging_distance * longest);
  for (const Corners& corners : triangles)
    for (const std::uint32_t corner : corners)
      if (to[corner] == nothing) to[corner] = table.find_or_add(vertices[corner], places);
  return to;
}

struct SortedTriangle {
  Corners corners;  // ascending
  std::uint32_t index;
  bool odd;  // an odd permutation of the triangle's own order
};

SortedTriangle sorted(const Corners& triangle, std::uint32_t index) {
  SortedTriangle s{triangle, index, false};
  const auto order = [&](int a, int b) {
    if (s.corners[a] > s.corners[b]) std::swap(s.corners[a], s.corners[b]), s.odd = !s.odd;
  };
  order(0, 1);
  order(1, 2);
  order(0, 1);
  return s;
}

// A triangle's side: its edge, from the lower to the higher vertex or back.
struct Side {
  std::uint64_t edge;
  std::uint32_t triangle, apex;  // apex: the corner that is not on it
  bool back;
};

Place minus(const Place& a, const Place& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
Place cross(const Place& a, const Place& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
double dot(const Place& a, const Place& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// Sorts sides around their edge by angle, seen with the edge pointing towards the eye; of two at the same angle, the
// one with the solid in front of it comes first.
void sort_by_angle(std::span<Side> sides, const TriangleMesh& mesh) {
  const auto lower = static_cast<std::uint32_t>(sides[0].edge >> 32),
             higher = static_cast<std::uint32_t>(sides[0].edge);
  const Place axis = minus(mesh.vertices[higher], mesh.vertices[lower]);
  const Place first = minus(mesh.vertices[sides[0].apex], mesh.vertices[lower]);
  const Place y = cross(axis, first), x = cross(y, axis);
  const double scale = std::sqrt(dot(axis, axis));
  std::vector<std::pair<double, Side>> order;
  for (const Side& side : sides) {
    const Place to = minus(mesh.vertices[side.apex], mesh.vertices[lower]);
    const double angle = std::atan2(dot(to, y) * scale, dot(to, x));
    order.emplace_back(angle < same_angle - std::numbers::pi ? angle + 2 * std::numbers::pi : angle, side);
  }
  std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (std::size_t from = 0; from < order.size();) {
    std::size_t to = from + 1;
    while (to < order.size() && order[to].first - order[from].first < same_angle) ++to;
    std::sort(order.begin() + static_cast<std::ptrdiff_t>(from), order.begin() + static_cast<std::ptrdiff_t>(to),
              [](const auto& a, const auto& b) {
                return std::pair(a.second.back, a.second.triangle) < std::pair(b.second.back, b.second.triangle);
              });
    from = to;
  }
  for (std::size_t k = 0; k < sides.size(); ++k) sides[k] = order[k].second;
}

// The triangles adjacent to each side of each triangle.
class Neighbors {
 public:
  explicit Neighbors(const TriangleMesh& mesh) : at_(3 * mesh.triangles.size(), {nothing, false}) {
    std::vector<Side> sides;
    sides.reserve(at_.size());
    for (std::uint32_t t = 0; t < mesh.triangles.size(); ++t)
      for (std::size_t k = 0; k < 3; ++k) {
        const std::uint32_t a = mesh.triangles[t][k], b = mesh.triangles[t][(k + 1) % 3];
        sides.push_back(
            {std::uint64_t{std::min(a, b)} << 32 | std::max(a, b), t, mesh.triangles[t][(k + 2) % 3], a > b});
      }
    std::sort(sides.begin(), sides.end(), [](const Side& a, const Side& b) {
      return std::pair(a.edge, a.triangle) < std::pair(b.edge, b.triangle);
    });
    for (std::size_t from = 0; from < sides.size();) {
      std::size_t to = from + 1;
      while (to < sides.size() && sides[to].edge == sides[from].edge) ++to;
      join(std::span(sides).subspan(from, to - from), mesh);
      from = to;
    }
  }

  struct Neighbor {
    std::uint32_t triangle;
    bool agrees;  // it passes the edge in the opposite direction, as given
  };
  // Neighbors of triangle t, one for each paired side; unpaired sides have triangle == 2^32 - 1.
  std::span<const Neighbor> of(std::uint32_t t) const { return std::span(at_).subspan(3 * std::size_t{t}, 3); }
  std::uint64_t open_edges() const { return open_; }

 private:
  void join(std::span<Side> sides, const TriangleMesh& mesh) {
    if (sides.size() == 2) return pair(sides[0], sides[1]);
    const auto backs =
        static_cast<std::size_t>(std::count_if(sides.begin(), sides.end(), [](auto& s) { return s.back; }));
    if (2 * backs != sides.size()) {
      ++open_;
      return;
    }
    sort_by_angle(sides, mesh);
    // A triangle that passes the edge backwards has the solid at larger angles, up to the next one, which passes it
    // forwards.
    const std::size_t first = sides[0].back ? 0 : 1;
    for (std::size_t k = 0; k < sides.size(); ++k)
      if (sides[(first + k) % sides.size()].back != (k % 2 == 0)) {
        ++open_;
        return;
      }
    for (std::size_t k = 0; k < sides.size(); k += 2)
      pair(sides[(first + k) % sides.size()], sides[(first + k + 1) % sides.size()]);
  }

  void pair(const Side& a, const Side& b) {
    add(a.triangle, {b.triangle, a.back != b.back});
    add(b.triangle, {a.triangle, a.back != b.back});
  }

  void add(std::uint32_t t, Neighbor neighbor) {
    std::size_t at = 3 * std::size_t{t};
    while (at_[at].triangle != nothing) ++at;
    at_[at] = neighbor;
  }

  std::vector<Neighbor> at_;
  std::uint64_t open_ = 0;
};

}  // namespace

CleanSurface clean_surface(const TriangleMesh& mesh, Twins twins) {
  CleanSurface clean;
  const std::vector<std::uint32_t> merged = merge(mesh.vertices, mesh.triangles, clean.mesh.vertices);
  std::vector<Corners> triangles;
  std::vector<SortedTriangle> order;
  for (const Corners& corners : mesh.triangles) {
    Corners triangle{};
    for (std::size_t k = 0; k < 3; ++k) triangle[k] = merged[corners[k]];
    if (triangle[0] == triangle[1] || triangle[1] == triangle[2] || triangle[2] == triangle[0]) {
      ++clean.degenerate;
      continue;
    }
    order.push_back(sorted(triangle, static_cast<std::uint32_t>(triangles.size())));
    triangles.push_back(triangle);
  }
  std::sort(order.begin(), order.end(), [](const SortedTriangle& a, const SortedTriangle& b) {
    return a.corners != b.corners ? a.corners < b.corners : a.index < b.index;
  });
  std::vector<bool> kept(triangles.size(), false);
  for (std::size_t from = 0; from < order.size();) {
    std::size_t to = from, odd = 0;
    for (; to < order.size() && order[to].corners == order[from].corners; ++to) odd += order[to].odd;
    const bool both = odd > 0 && odd < to - from;
    clean.twins = clean.twins || both;
    const bool keep = !both || twins == Twins::keep_one;
    kept[order[from].index] = keep;
    clean.duplicate += to - from - keep;
    from = to;
  }
  for (std::size_t t = 0; t < triangles.size(); ++t)
    if (kept[t]) clean.mesh.triangles.push_back(triangles[t]);
  return clean;
}

Shells find_shells(TriangleMesh& mesh) {
  const Neighbors neighbors(mesh);
  Shells shells;
  shells.open_edges = neighbors.open_edges();
  shells.shell.assign(mesh.triangles.size(), nothing);
  std::vector<bool> turned(mesh.triangles.size(), false);
  std::vector<std::uint32_t> members;
  for (std::uint32_t start = 0; start < mesh.triangles.size(); ++start) {
    if (shells.shell[start] != nothing) continue;
    members.assign(1, start);
    shells.shell[start] = shells.count;
    std::size_t turns = 0;
    for (std::size_t k = 0; k < members.size(); ++k) {
      const std::uint32_t t = members[k];
      turns += turned[t];
      for (const auto& [other, agrees] : neighbors.of(t)) {
        if (other == nothing) continue;
        if (shells.shell[other] == nothing) {
          shells.shell[other] = shells.count;
          turned[other] = agrees ? turned[t] : !turned[t];
          members.push_back(other);
        } else if ((turned[other] == turned[t]) != agrees) {
          shells.orientable = false;
        }
      }
    }
    const bool other_way = 2 * turns > members.size();
    for (const std::uint32_t t : members)
      if (turned[t] != other_way) std::swap(mesh.triangles[t][1], mesh.triangles[t][2]);
    ++shells.count;
  }
  return shells;
}

}  // namespace pairs
