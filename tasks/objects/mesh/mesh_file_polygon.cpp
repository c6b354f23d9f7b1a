#include "tasks/objects/mesh/mesh_file_polygon.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/text/error.h"

namespace pairs {
namespace {

using Flat = std::array<double, 2>;

// Twice the area of a triangle in the plane, positive for a left turn.
double turn(const Flat& a, const Flat& b, const Flat& c) {
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

}  // namespace

void PolygonCutter::add(std::span<const std::uint32_t> corners) {
  if (corners.size() < 3) {
    ++file_.flawed;
    return;
  }
  if (corners.size() > 3) {
    ++file_.polygons;
    if (!is_convex(corners)) return clip_ears(corners);
  }
  for (std::size_t k = 2; k < corners.size(); ++k) add_triangle(corners[0], corners[k - 1], corners[k]);
}

// Also projects the corners into flat_, dropping the axis along which the face's normal (Newell's) is longest.
bool PolygonCutter::is_convex(std::span<const std::uint32_t> corners) {
  const std::size_t count = corners.size();
  const auto& places = file_.mesh.vertices;
  const auto& origin = places[corners[0]];
  std::array<double, 3> normal{};
  for (std::size_t k = 0; k < count; ++k) {
    const auto &p = places[corners[k]], &q = places[corners[(k + 1) % count]];
    for (std::size_t d = 0; d < 3; ++d) {
      const std::size_t u = (d + 1) % 3, v = (d + 2) % 3;
      normal[d] += (p[u] - origin[u]) * (q[v] - origin[v]) - (p[v] - origin[v]) * (q[u] - origin[u]);
    }
  }
  std::size_t axis = 0;
  for (std::size_t d = 1; d < 3; ++d)
    if (std::abs(normal[d]) > std::abs(normal[axis])) axis = d;
  std::size_t u = (axis + 1) % 3, v = (axis + 2) % 3;
  if (normal[axis] < 0) std::swap(u, v);
  flat_.clear();
  for (const std::uint32_t corner : corners)
    flat_.push_back({places[corner][u] - origin[u], places[corner][v] - origin[v]});
  // It must never turn right, and must go around only once: a star turns left, too.
  int reversals = 0;
  double before = 0;
  for (std::size_t k = 0; k < 2 * count; ++k) {
    const Flat &a = flat_[k % count], &b = flat_[(k + 1) % count];
    if (k < count && turn(a, b, flat_[(k + 2) % count]) < 0) return false;
    const double step = b[0] - a[0];
    if (step == 0) continue;
    if (k >= count && step * before < 0) ++reversals;
    before = step;
  }
  return reversals <= 2;
}

void PolygonCutter::clip_ears(std::span<const std::uint32_t> corners) {
  ring_.resize(corners.size());
  std::iota(ring_.begin(), ring_.end(), 0u);
  const auto is_ear = [&](std::size_t at) {
    const std::size_t count = ring_.size();
    const Flat &a = flat_[ring_[(at + count - 1) % count]], &b = flat_[ring_[at]], &c = flat_[ring_[(at + 1) % count]];
    if (turn(a, b, c) <= 0) return false;
    PAIRS_CHECK(tests_left_ >= count,
                "{} has faces of so many corners, with dents, that cutting them into triangles would take too long; "
                "triangulate it elsewhere",
                where_);
    tests_left_ -= count;
    // Corners at the ear's own positions do not block it: faces with holes pass a seam twice.
    return std::none_of(ring_.begin(), ring_.end(), [&](std::uint32_t k) {
      const Flat& p = flat_[k];
      return p != a && p != b && p != c && turn(a, b, p) >= 0 && turn(b, c, p) >= 0 && turn(c, a, p) >= 0;
    });
  };
  std::size_t at = 1, failures = 0;
  while (ring_.size() > 3) {
    const std::size_t count = ring_.size();
    at %= count;
    // If a face crosses itself there may be no ear: then any corner is clipped.
    if (failures >= count || is_ear(at)) {
      add_triangle(corners[ring_[(at + count - 1) % count]], corners[ring_[at]], corners[ring_[(at + 1) % count]]);
      ring_.erase(ring_.begin() + static_cast<std::ptrdiff_t>(at));
      failures = 0;
    } else {
      ++at;
      ++failures;
    }
  }
  add_triangle(corners[ring_[0]], corners[ring_[1]], corners[ring_[2]]);
}

}  // namespace pairs
