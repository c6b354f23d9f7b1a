#include "tasks/objects/generated/generated_body.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "core/base/text/error.h"

namespace pairs::generated {
namespace {

constexpr int most_pieces = 12;  // per edge

Point plus(const Point& a, const Point& b, double share = 1) {
  return {a[0] + share * b[0], a[1] + share * b[1], a[2] + share * b[2]};
}
Point from_to(const Point& a, const Point& b) {
  return {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
}
double inner(const Point& a, const Point& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
Point across(const Point& a, const Point& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
double length(const Point& a) {
  return std::sqrt(inner(a, a));
}
Point unit(const Point& a) {
  const double l = length(a);
  return {a[0] / l, a[1] / l, a[2] / l};
}

int pieces(double long_, double cell) {
  return std::clamp(static_cast<int>(std::ceil(long_ / cell)), 1, most_pieces);
}

Section between(const Section& a, const Section& b, double share) {
  const auto mix = [share](double from, double to) { return from + (to - from) * share; };
  return {mix(a.z, b.z), mix(a.x, b.x), mix(a.y, b.y), mix(a.round, b.round), mix(a.at_x, b.at_x), mix(a.at_y, b.at_y)};
}

// How the outlines of one loft are divided into points.
struct OutlineKind {
  bool wide = false, round = false;  // has straight sides; has arcs
  int sides = 4, along_x = 1, along_y = 1;
};

std::vector<std::array<double, 2>> outline_points(const Section& s, const OutlineKind& kind) {
  std::vector<std::array<double, 2>> points;
  const int quarter = kind.sides / 4;
  for (int corner = 0; corner < 4; ++corner) {
    const double to_x = corner == 0 || corner == 3 ? s.x : -s.x, to_y = corner < 2 ? s.y : -s.y;
    const int steps = !kind.round ? 1 : kind.wide ? quarter + 1 : quarter;
    for (int k = 0; k < steps; ++k) {
      // Exact quarter turns, so that straight sides are parallel.
      const double angle = kind.round ? std::numbers::pi / 2 * k / quarter : 0;
      const double c = kind.round && k == quarter ? 0 : std::cos(angle), d = k == quarter ? 1 : std::sin(angle);
      const double cos = corner == 0 ? c : corner == 1 ? -d : corner == 2 ? -c : d;
      const double sin = corner == 0 ? d : corner == 1 ? c : corner == 2 ? -d : -c;
      points.push_back({s.at_x + to_x + s.round * cos, s.at_y + to_y + s.round * sin});
    }
    if (!kind.wide) continue;
    // The straight side after this corner.
    const int along = corner % 2 == 0 ? kind.along_x : kind.along_y;
    const std::array<double, 2> from = points.back();
    const double long_ = 2 * (corner % 2 == 0 ? s.x : s.y);
    for (int k = 1; k < along; ++k) {
      const double gone = long_ * k / along;
      points.push_back({from[0] + (corner == 0   ? -gone
                                   : corner == 2 ? gone
                                                 : 0),
                        from[1] + (corner == 1   ? -gone
                                   : corner == 3 ? gone
                                                 : 0)});
    }
  }
  return points;
}

// The number of pieces of the triangles that share no vertex.
std::uint32_t count_pieces(std::size_t vertices, const std::vector<std::array<std::uint32_t, 3>>& triangles) {
  std::vector<std::uint32_t> parent(vertices);
  std::iota(parent.begin(), parent.end(), 0u);
  const auto root = [&parent](std::uint32_t v) {
    while (parent[v] != v) v = parent[v] = parent[parent[v]];
    return v;
  };
  std::vector<bool> used(vertices, false);
  for (const auto& t : triangles)
    for (const std::uint32_t v : t) {
      used[v] = true;
      parent[root(v)] = root(t[0]);
    }
  std::uint32_t pieces = 0;
  for (std::uint32_t v = 0; v < vertices; ++v) pieces += used[v] && root(v) == v;
  return pieces;
}

}  // namespace

double Draw::log_in(double low, double high) {
  return std::exp(in(std::log(low), std::log(high)));
}

Outline disc(double radius, int sides) {
  Outline out;
  for (int k = 0; k < sides; ++k) {
    const double angle = 2 * std::numbers::pi * k / sides;
    out.push_back({radius * std::cos(angle), radius * std::sin(angle)});
  }
  return out;
}

Outline rectangle(double half_u, double half_v) {
  return {{-half_u, -half_v}, {half_u, -half_v}, {half_u, half_v}, {-half_u, half_v}};
}

Affine shifted(double x, double y, double z) {
  Affine map;
  map.shift = {x, y, z};
  return map;
}
Affine turned_about_z(double angle, Point shift) {
  const double c = std::cos(angle), s = std::sin(angle);
  return {{c, s, 0}, {-s, c, 0}, {0, 0, 1}, shift};
}
Affine turned_about_y(double angle, Point shift) {
  const double c = std::cos(angle), s = std::sin(angle);
  return {{c, 0, -s}, {0, 1, 0}, {s, 0, c}, shift};
}
Affine draw_rotation(Draw& draw) {
  constexpr double round = 2 * std::numbers::pi;
  const double u = draw.in(0, 1), v = draw.in(0, round), t = draw.in(0, round);
  const double w = std::sqrt(1 - u) * std::sin(v), x = std::sqrt(1 - u) * std::cos(v), y = std::sqrt(u) * std::sin(t),
               z = std::sqrt(u) * std::cos(t);
  return {{1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)},
          {2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)},
          {2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)},
          {}};
}
Affine leaning(double by, double z, Point shift) {
  return {{1, 0, 0}, {0, 1, 0}, {0, by, 1}, {shift[0], shift[1] - by * z, shift[2]}};
}

std::uint32_t Body::vertex(const Point& p, bool corner) {
  const auto at = static_cast<std::uint32_t>(mesh_.vertices.size());
  mesh_.vertices.push_back(p);
  if (corner) corners_.push_back(at);
  return at;
}

void Body::box(Point low, Point high, bool divided) {
  std::array<int, 3> n{1, 1, 1};
  volume_ += (high[0] - low[0]) * (high[1] - low[1]) * (high[2] - low[2]);
  ++parts_;
  for (std::size_t d = 0; d < 3; ++d) {
    PAIRS_CHECK(high[d] > low[d], "A generated box needs extent: its sides end at {} and {}", low[d], high[d]);
    if (divided) n[d] = pieces(high[d] - low[d], cell_);
  }
  constexpr std::uint32_t none = ~std::uint32_t{0};
  std::vector<std::uint32_t> at(static_cast<std::size_t>(n[0] + 1) * (n[1] + 1) * (n[2] + 1), none);
  const auto corner = [&](const std::array<int, 3>& i) {
    std::uint32_t& v = at[static_cast<std::size_t>((i[2] * (n[1] + 1) + i[1]) * (n[0] + 1) + i[0])];
    if (v == none) {
      Point p;
      bool corner = true;
      for (std::size_t d = 0; d < 3; ++d) {
        p[d] = i[d] == n[d] ? high[d] : low[d] + (high[d] - low[d]) * i[d] / n[d];
        corner = corner && (i[d] == 0 || i[d] == n[d]);
      }
      v = vertex(p, corner);
    }
    return v;
  };
  for (std::size_t d = 0; d < 3; ++d) {
    const std::size_t u = (d + 1) % 3, v = (d + 2) % 3;
    for (const bool far : {false, true})
      for (int i = 0; i < n[u]; ++i)
        for (int j = 0; j < n[v]; ++j) {
          std::array<std::uint32_t, 4> quad;
          for (int k = 0; k < 4; ++k) {
            std::array<int, 3> index;
            index[d] = far ? n[d] : 0;
            index[u] = i + (k == 1 || k == 2);
            index[v] = j + (k >= 2);
            quad[static_cast<std::size_t>(k)] = corner(index);
          }
          if (!far) std::swap(quad[1], quad[3]);
          triangle(quad[0], quad[1], quad[2]);
          triangle(quad[0], quad[2], quad[3]);
        }
  }
}

void Body::join_rows(std::uint32_t first, std::size_t rows, std::size_t across, bool ring) {
  const auto at = [&](std::size_t row, std::size_t k) {
    return first + static_cast<std::uint32_t>(row % rows * across + k % across);
  };
  for (std::size_t row = 0; row + (ring ? 0 : 1) < rows; ++row)
    for (std::size_t k = 0; k < across; ++k) {
      triangle(at(row, k), at(row, k + 1), at(row + 1, k + 1));
      triangle(at(row, k), at(row + 1, k + 1), at(row + 1, k));
    }
}

void Body::fill_row(std::uint32_t first, std::size_t across, const Point& center, bool up) {
  const std::uint32_t middle = vertex(center, false);
  for (std::size_t k = 0; k < across; ++k) {
    const auto a = first + static_cast<std::uint32_t>(k), b = first + static_cast<std::uint32_t>((k + 1) % across);
    triangle(middle, up ? a : b, up ? b : a);
  }
}

void Body::loft(std::vector<Section> sections, int sides, bool ring, Axis axis) {
  PAIRS_CHECK(sections.size() > 1 && sides % 4 == 0, "A generated loft needs two outlines and sides in fours");
  ++parts_;
  OutlineKind kind;
  kind.sides = sides;
  double long_x = 0, long_y = 0;
  for (const Section& s : sections) {
    kind.wide = kind.wide || s.x > 0;
    kind.round = kind.round || s.round > 0;
    long_x = std::max(long_x, 2 * s.x);
    long_y = std::max(long_y, 2 * s.y);
  }
  for (const Section& s : sections)
    PAIRS_CHECK((s.x > 0) == kind.wide && (s.y > 0) == kind.wide && (s.round > 0) == kind.round,
                "The outlines of a generated loft need to be of one kind: half sides {} and {}, round {}", s.x, s.y,
                s.round);
  kind.along_x = pieces(long_x, cell_);
  kind.along_y = pieces(long_y, cell_);
  const double polygon = sides / 2.0 * std::sin(2 * std::numbers::pi / sides);
  const auto area = [&](const Section& s) {
    return 4 * s.x * s.y + 4 * (s.x + s.y) * s.round + polygon * s.round * s.round;
  };
  const std::size_t spans = sections.size() - (ring ? 0 : 1);
  const auto to_world = [axis](double x, double y, double z) -> Point {
    if (axis == Axis::x) return {z, x, y};
    if (axis == Axis::y) return {y, z, x};
    return {x, y, z};
  };
  const auto first = static_cast<std::uint32_t>(mesh_.vertices.size());
  std::size_t rows = 0, row_size = 0;
  const auto add_row = [&](const Section& s, bool corners) {
    const auto points = outline_points(s, kind);
    row_size = points.size();
    ++rows;
    for (const auto& p : points) vertex(to_world(p[0], p[1], s.z), corners);
  };
  for (std::size_t k = 0; k < spans; ++k) {
    const Section &a = sections[k], &b = sections[(k + 1) % sections.size()];
    volume_ += (b.z - a.z) / 6 * (area(a) + 4 * area(between(a, b, 0.5)) + area(b));
    const int steps = pieces(std::abs(b.z - a.z), 1.5 * cell_);
    for (int j = 0; j < steps; ++j) add_row(j == 0 ? a : between(a, b, static_cast<double>(j) / steps), j == 0);
  }
  if (!ring) add_row(sections.back(), true);
  join_rows(first, rows, row_size, ring);
  if (ring) return;
  const Section &low = sections.front(), &high = sections.back();
  fill_row(first, row_size, to_world(low.at_x, low.at_y, low.z), false);
  fill_row(first + static_cast<std::uint32_t>((rows - 1) * row_size), row_size, to_world(high.at_x, high.at_y, high.z),
           true);
}

void Body::cushion(Point low, Point high, double round) {
  const double shortest = std::min({high[0] - low[0], high[1] - low[1], high[2] - low[2]});
  round = std::min(round, shortest / 3);
  const double corner = 1.2 * round;
  const double x = (high[0] - low[0]) / 2 - corner, y = (high[1] - low[1]) / 2 - corner;
  std::vector<Section> sections;
  constexpr int steps = 3;
  for (const bool top : {false, true})
    for (int k = 0; k <= steps; ++k) {
      const double angle = std::numbers::pi / 2 * (top ? steps - k : k) / steps;
      const double in = round * (1 - std::sin(angle)), up = round * (1 - std::cos(angle));
      sections.push_back(
          {top ? high[2] - up : low[2] + up, x, y, corner - in, (low[0] + high[0]) / 2, (low[1] + high[1]) / 2});
    }
  loft(sections, 12);
}

void Body::tube(const std::vector<Point>& path, const Outline& outline, Point side, bool ring, Point first_end,
                Point last_end) {
  PAIRS_CHECK(path.size() > 1, "A generated tube needs two places");
  ++parts_;
  std::vector<Point> places;
  std::vector<bool> given;  // given as a point of the path
  const std::size_t spans = path.size() - (ring ? 0 : 1);
  for (std::size_t k = 0; k < spans; ++k) {
    const Point &a = path[k], way = from_to(a, path[(k + 1) % path.size()]);
    const int steps = pieces(length(way), 1.5 * cell_);
    for (int j = 0; j < steps; ++j) {
      places.push_back(plus(a, way, static_cast<double>(j) / steps));
      given.push_back(j == 0);
    }
  }
  if (!ring) {
    places.push_back(path.back());
    given.push_back(true);
  }
  double twice = 0, long_ = 0;
  for (std::size_t k = 0; k < outline.size(); ++k) {
    const auto &a = outline[k], &b = outline[(k + 1) % outline.size()];
    twice += a[0] * b[1] - a[1] * b[0];
  }
  const std::size_t n = places.size();
  const auto first = static_cast<std::uint32_t>(mesh_.vertices.size());
  for (std::size_t k = 0; k < n; ++k) {
    const bool starts = k == 0 && !ring, ends = k + 1 == n && !ring;
    const Point before = starts ? Point{} : unit(from_to(places[(k + n - 1) % n], places[k]));
    const Point after = ends ? Point{} : unit(from_to(places[k], places[(k + 1) % n]));
    const Point way = starts ? after : before;
    Point cut = unit(plus(before, after));
    if (starts && length(first_end) > 0) cut = first_end;
    if (ends && length(last_end) > 0) cut = last_end;
    const Point v = across(way, side);
    for (const auto& [u_share, v_share] : outline) {
      Point offset{};
      offset = plus(plus(offset, side, u_share), v, v_share);
      vertex(plus(plus(places[k], offset), way, -inner(cut, offset) / inner(cut, way)), given[k]);
    }
    if (!ends) long_ += length(from_to(places[k], places[(k + 1) % n]));
  }
  volume_ += twice / 2 * long_;
  join_rows(first, n, outline.size(), ring);
  if (ring) return;
  fill_row(first, outline.size(), places.front(), false);
  fill_row(first + static_cast<std::uint32_t>((n - 1) * outline.size()), outline.size(), places.back(), true);
}

void Body::extrude(const Outline& outline, const std::vector<Level>& levels) {
  PAIRS_CHECK(outline.size() > 2 && levels.size() > 1, "An extrusion needs three corners and two levels");
  std::vector<Point> places;
  std::vector<std::array<std::uint32_t, 3>> triangles;
  const auto n = static_cast<std::uint32_t>(outline.size());
  const auto rows = static_cast<std::uint32_t>(levels.size());
  for (const Level& level : levels) {
    const double c = level.scale * std::cos(level.turn), s = level.scale * std::sin(level.turn);
    for (const auto& [u, v] : outline) places.push_back({c * u - s * v, s * u + c * v, level.z});
  }
  for (std::uint32_t row = 0; row + 1 < rows; ++row)
    for (std::uint32_t k = 0; k < n; ++k) {
      const std::uint32_t a = row * n + k, b = row * n + (k + 1) % n;
      triangles.push_back({a, b, b + n});
      triangles.push_back({a, b + n, a + n});
    }
  for (const bool top : {false, true}) {
    const auto middle = static_cast<std::uint32_t>(places.size());
    const std::uint32_t first = top ? (rows - 1) * n : 0;
    places.push_back({0, 0, top ? levels.back().z : levels.front().z});
    for (std::uint32_t k = 0; k < n; ++k) {
      const std::uint32_t a = first + k, b = first + (k + 1) % n;
      triangles.push_back({middle, top ? a : b, top ? b : a});
    }
  }
  solid(places, triangles);
}

void Body::solid(const std::vector<Point>& vertices, const std::vector<std::array<std::uint32_t, 3>>& triangles) {
  PAIRS_CHECK(!vertices.empty(), "A generated solid needs vertices");
  const auto first = static_cast<std::uint32_t>(mesh_.vertices.size());
  // Relative to a nearby point, to limit rounding errors.
  const Point& near = vertices.front();
  for (const Point& p : vertices) vertex(p, true);
  for (const auto& t : triangles) {
    triangle(first + t[0], first + t[1], first + t[2]);
    volume_ +=
        inner(from_to(near, vertices[t[0]]), across(from_to(near, vertices[t[1]]), from_to(near, vertices[t[2]]))) / 6;
  }
  parts_ += count_pieces(vertices.size(), triangles);
}

void Body::surface(int rows, int columns, bool ring, bool doubled, const std::function<Point(double, double)>& place) {
  PAIRS_CHECK(rows > 0 && columns > (ring ? 2 : 0), "A generated surface needs rows and columns");
  open_ = true;
  const auto first = static_cast<std::uint32_t>(mesh_.vertices.size());
  const int across = ring ? columns : columns + 1;
  for (int row = 0; row <= rows; ++row)
    for (int k = 0; k < across; ++k)
      vertex(place(static_cast<double>(row) / rows, static_cast<double>(k) / columns), true);
  const auto at = [&](int row, int k) { return first + static_cast<std::uint32_t>(row * across + k % across); };
  for (int row = 0; row < rows; ++row)
    for (int k = 0; k < columns; ++k) {
      const std::uint32_t a = at(row, k), b = at(row, k + 1), c = at(row + 1, k + 1), d = at(row + 1, k);
      triangle(a, b, c);
      triangle(a, c, d);
      if (!doubled) continue;
      triangle(a, c, b);
      triangle(a, d, c);
    }
}

void Body::add(const Body& other, const Affine& map) {
  const double scale = inner(across(map.x, map.y), map.z);
  const auto first = static_cast<std::uint32_t>(mesh_.vertices.size());
  for (const Point& p : other.mesh_.vertices)
    vertex(plus(plus(plus(map.shift, map.x, p[0]), map.y, p[1]), map.z, p[2]), false);
  for (const auto& t : other.mesh_.triangles)
    triangle(first + t[0], first + t[scale < 0 ? 2 : 1], first + t[scale < 0 ? 1 : 2]);
  for (const std::uint32_t corner : other.corners_) corners_.push_back(first + corner);
  volume_ += other.volume_ * std::abs(scale);
  parts_ += other.parts_;
  open_ = open_ || other.open_;
}

std::vector<Section> smooth_profile(const std::vector<std::array<double, 2>>& points, int steps) {
  std::vector<Section> out;
  const auto at = [&](std::size_t k) { return points[std::min(k, points.size() - 1)]; };
  for (std::size_t k = 0; k + 1 < points.size(); ++k) {
    // Monotone cubic in each span (Fritsch and Carlson's slopes, harmonic means), so that radii stay between the given
    // ones.
    const auto slope = [&](std::size_t j) { return (at(j + 1)[1] - at(j)[1]) / (at(j + 1)[0] - at(j)[0]); };
    const auto tangent = [&](std::size_t j) {
      if (j == 0) return slope(0);
      if (j + 1 >= points.size()) return slope(points.size() - 2);
      const double a = slope(j - 1), b = slope(j);
      return a * b <= 0 ? 0 : 2 * a * b / (a + b);
    };
    const double h = at(k + 1)[0] - at(k)[0], from = tangent(k), to = tangent(k + 1);
    for (int j = 0; j < steps; ++j) {
      const double t = static_cast<double>(j) / steps, t2 = t * t, t3 = t2 * t;
      out.push_back({at(k)[0] + h * t, 0, 0,
                     (2 * t3 - 3 * t2 + 1) * at(k)[1] + (t3 - 2 * t2 + t) * h * from +
                         (3 * t2 - 2 * t3) * at(k + 1)[1] + (t3 - t2) * h * to});
    }
  }
  out.push_back({points.back()[0], 0, 0, points.back()[1]});
  return out;
}

std::vector<Section> hollowed(const std::vector<Section>& outside, double wall, double floor, double earth) {
  std::vector<Section> out = outside;
  const double bottom = outside.front().z + std::max(floor, earth);
  const auto inside = [wall](Section s) {
    s.round = std::max(s.round - wall, 0.3 * s.round);
    return s;
  };
  for (std::size_t k = outside.size(); k-- > 0;) {
    if (outside[k].z > bottom) {
      out.push_back(inside(outside[k]));
      continue;
    }
    PAIRS_CHECK(k + 1 < outside.size(), "A vessel's floor reaches its rim");
    const Section &a = outside[k], &b = outside[k + 1];
    const double share = (bottom - a.z) / (b.z - a.z);
    out.push_back(inside(between(a, b, share)));
    break;
  }
  return out;
}

std::vector<Point> arc(Point center, double radius, double from, double to, int steps) {
  std::vector<Point> out;
  for (int k = 0; k <= steps; ++k) {
    const double angle = from + (to - from) * k / steps;
    out.push_back({center[0] + radius * std::cos(angle), center[1] + radius * std::sin(angle), center[2]});
  }
  return out;
}

std::vector<Point> rounded_path(const std::vector<Point>& path, double radius, int steps) {
  std::vector<Point> out{path.front()};
  for (std::size_t k = 1; k + 1 < path.size(); ++k) {
    const Point before = from_to(path[k], path[k - 1]), after = from_to(path[k], path[k + 1]);
    const Point a = unit(before), b = unit(after);
    const double half = std::acos(std::clamp(inner(a, b), -1.0, 1.0)) / 2;  // between the sides
    const double back = std::min({radius / std::tan(half), 0.49 * length(before), 0.49 * length(after)});
    const double r = back * std::tan(half);
    const Point center = plus(path[k], unit(plus(a, b)), r / std::sin(half));
    const Point from = from_to(center, plus(path[k], a, back));
    const Point to = from_to(center, plus(path[k], b, back));
    const double angle = std::numbers::pi - 2 * half;
    for (int j = 0; j <= steps; ++j) {
      const double t = angle * j / steps;
      Point p = center;
      p = plus(p, from, std::sin(angle - t) / std::sin(angle));
      out.push_back(plus(p, to, std::sin(t) / std::sin(angle)));
    }
  }
  out.push_back(path.back());
  return out;
}

}  // namespace pairs::generated
