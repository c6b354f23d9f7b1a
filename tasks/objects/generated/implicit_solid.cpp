#include "tasks/objects/generated/implicit_solid.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

namespace pairs::generated {
namespace {

// The nodes of a cube are numbered by bits: 1 along x, 2 along y, 4 along z. All six tetrahedra share the diagonal from
// 0 to 7, so that neighboring cubes have the same diagonals on their common face.
constexpr int tetrahedra[6][4] = {{0, 1, 3, 7}, {0, 3, 2, 7}, {0, 2, 6, 7}, {0, 6, 4, 7}, {0, 4, 5, 7}, {0, 5, 1, 7}};
constexpr double nearest_to_node = 1e-3;  // in cells: the smallest distance of a surface from a node

double dot(const Point& a, const Point& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

double distance_to(const Piece& piece, const Point& p) {
  const Point away{p[0] - piece.at[0], p[1] - piece.at[1], p[2] - piece.at[2]};
  const Point q{dot(piece.axes[0], away), dot(piece.axes[1], away), dot(piece.axes[2], away)};
  const auto corner = [](double u, double v) {
    return std::min(std::max(u, v), 0.0) + std::hypot(std::max(u, 0.0), std::max(v, 0.0));
  };
  switch (piece.kind) {
    case Piece::box: {
      Point d;
      for (std::size_t k = 0; k < 3; ++k) d[k] = std::abs(q[k]) - piece.half[k];
      return std::min(std::max({d[0], d[1], d[2]}), 0.0) +
             std::hypot(std::max(d[0], 0.0), std::max(d[1], 0.0), std::max(d[2], 0.0));
    }
    case Piece::ellipsoid: {
      double once = 0, twice = 0;
      for (std::size_t k = 0; k < 3; ++k) {
        const double share = q[k] / piece.half[k];
        once += share * share;
        twice += share * share / (piece.half[k] * piece.half[k]);
      }
      if (twice == 0) return -std::min({piece.half[0], piece.half[1], piece.half[2]});
      return std::sqrt(once) * (std::sqrt(once) - 1) / std::sqrt(twice);
    }
    case Piece::cylinder:
      return corner(std::hypot(q[0], q[1]) - piece.half[0], std::abs(q[2]) - piece.half[2]);
    case Piece::capsule:
      return std::hypot(q[0], q[1], q[2] - std::clamp(q[2], -piece.half[2], piece.half[2])) - piece.half[0];
    case Piece::ring:
      return std::hypot(std::hypot(q[0], q[1]) - piece.half[0], q[2]) - piece.half[2];
  }
  return 0;
}

// The largest extent of a piece from its center along each axis of space.
Point reach(const Piece& piece) {
  Point own = piece.half;
  if (piece.kind == Piece::cylinder) own = {piece.half[0], piece.half[0], piece.half[2]};
  if (piece.kind == Piece::capsule) own = {piece.half[0], piece.half[0], piece.half[2] + piece.half[0]};
  if (piece.kind == Piece::ring) own = {piece.half[0] + piece.half[2], piece.half[0] + piece.half[2], piece.half[2]};
  Point out{};
  for (std::size_t d = 0; d < 3; ++d)
    for (std::size_t k = 0; k < 3; ++k) out[d] += std::abs(piece.axes[k][d]) * own[k];
  return out;
}

class Grid {
 public:
  Grid(const ImplicitSolid& solid, int cells) {
    constexpr double inf = std::numeric_limits<double>::infinity();
    Point low{inf, inf, inf}, high{-inf, -inf, -inf};
    for (const Piece& piece : solid.pieces) {
      if (piece.cut) continue;
      const Point far = reach(piece);
      for (std::size_t d = 0; d < 3; ++d) {
        low[d] = std::min(low[d], piece.at[d] - far[d] - solid.smooth / 4);
        high[d] = std::max(high[d], piece.at[d] + far[d] + solid.smooth / 4);
      }
    }
    cell_ = std::max({high[0] - low[0], high[1] - low[1], high[2] - low[2]}) / cells;
    for (std::size_t d = 0; d < 3; ++d) {
      const double own = std::ceil((high[d] - low[d]) / cell_);
      count_[d] = static_cast<int>(own) + 3;  // nodes, including a margin of one cell at both ends
      from_[d] = (low[d] + high[d]) / 2 - cell_ * (own + 2) / 2;
    }
    values_.reserve(static_cast<std::size_t>(count_[0]) * count_[1] * count_[2]);
    for (int z = 0; z < count_[2]; ++z)
      for (int y = 0; y < count_[1]; ++y)
        for (int x = 0; x < count_[0]; ++x) {
          const bool rim = x == 0 || y == 0 || z == 0 || x + 1 == count_[0] || y + 1 == count_[1] || z + 1 == count_[2];
          const double value = solid.at(place(index(x, y, z))), least = nearest_to_node * cell_;
          values_.push_back(rim         ? std::max(value, least)
                            : value < 0 ? std::min(value, -least)
                                        : std::max(value, least));
        }
  }

  void march() {
    for (int z = 0; z + 1 < count_[2]; ++z)
      for (int y = 0; y + 1 < count_[1]; ++y)
        for (int x = 0; x + 1 < count_[0]; ++x)
          for (const auto& tetrahedron : tetrahedra) {
            std::array<std::uint32_t, 4> nodes;
            for (std::size_t k = 0; k < 4; ++k) {
              const int n = tetrahedron[k];
              nodes[k] = index(x + (n & 1), y + (n >> 1 & 1), z + (n >> 2));
            }
            cut(nodes);
          }
  }

  std::vector<Point> places;
  std::vector<std::array<std::uint32_t, 3>> triangles;

 private:
  std::uint32_t index(int x, int y, int z) const {
    return static_cast<std::uint32_t>((z * count_[1] + y) * count_[0] + x);
  }
  Point place(std::uint32_t node) const {
    const auto n = static_cast<int>(node);
    return {from_[0] + cell_ * (n % count_[0]), from_[1] + cell_ * (n / count_[0] % count_[1]),
            from_[2] + cell_ * (n / count_[0] / count_[1])};
  }

  // The vertex on an edge that crosses the surface.
  std::uint32_t between(std::uint32_t a, std::uint32_t b) {
    if (a > b) std::swap(a, b);
    const auto [at, added] = known_.emplace(std::uint64_t{a} << 32 | b, static_cast<std::uint32_t>(places.size()));
    if (added) {
      const Point from = place(a), to = place(b);
      const double share = values_[a] / (values_[a] - values_[b]);
      Point p;
      for (std::size_t d = 0; d < 3; ++d) p[d] = from[d] + share * (to[d] - from[d]);
      places.push_back(p);
    }
    return at->second;
  }

  // Oriented so that `inner` lies behind it and `outer` in front.
  void add(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t inner, std::uint32_t outer) {
    const auto side = [&](const Point& to) {
      Point u, v, w;
      for (std::size_t d = 0; d < 3; ++d) {
        u[d] = places[b][d] - places[a][d];
        v[d] = places[c][d] - places[a][d];
        w[d] = to[d] - places[a][d];
      }
      return dot({u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]}, w);
    };
    if (side(place(outer)) < side(place(inner))) std::swap(b, c);
    triangles.push_back({a, b, c});
  }

  void cut(const std::array<std::uint32_t, 4>& nodes) {
    std::array<std::uint32_t, 4> in, out;
    std::size_t inner = 0, outer = 0;
    for (const std::uint32_t node : nodes) (values_[node] < 0 ? in[inner++] : out[outer++]) = node;
    if (inner == 0 || outer == 0) return;
    if (inner == 1) return add(between(in[0], out[0]), between(in[0], out[1]), between(in[0], out[2]), in[0], out[0]);
    if (outer == 1) return add(between(in[0], out[0]), between(in[1], out[0]), between(in[2], out[0]), in[0], out[0]);
    const std::uint32_t a = between(in[0], out[0]), b = between(in[0], out[1]), c = between(in[1], out[1]),
                        d = between(in[1], out[0]);
    add(a, b, c, in[0], out[0]);
    add(a, c, d, in[0], out[0]);
  }

  double cell_ = 0;
  std::array<int, 3> count_{};
  Point from_{};
  std::vector<double> values_;
  std::unordered_map<std::uint64_t, std::uint32_t> known_;
};

}  // namespace

double ImplicitSolid::at(const Point& p) const {
  double value = std::numeric_limits<double>::infinity();
  for (const Piece& piece : pieces) {
    const double own = distance_to(piece, p);
    if (piece.cut) {
      value = std::max(value, -own);
    } else if (smooth > 0 && std::abs(own - value) < smooth) {
      const double h = smooth - std::abs(own - value);
      value = std::min(own, value) - h * h / (4 * smooth);
    } else {
      value = std::min(own, value);
    }
  }
  return value;
}

bool add_implicit(Body& body, const ImplicitSolid& solid, int cells) {
  Grid grid(solid, cells);
  grid.march();
  if (grid.triangles.empty()) return false;
  body.solid(grid.places, grid.triangles);
  return true;
}

}  // namespace pairs::generated
