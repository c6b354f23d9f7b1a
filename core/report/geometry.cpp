#include "core/report/geometry.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <unordered_set>

namespace pairs::chart {
namespace {

constexpr double kColumn = 0.5;  // page width of a column of the decimation
constexpr double kMargin = 4;    // clipping keeps this much outside the area

// Reduces one gap-free run: first, least, greatest and last of every column that a run passes monotonically.
std::vector<Point> decimate(const std::vector<Point>& run) {
  std::vector<Point> kept;
  std::size_t i = 0;
  while (i < run.size()) {
    const double column = std::floor(run[i].x / kColumn);
    std::size_t end = i + 1;
    while (end < run.size() && std::floor(run[end].x / kColumn) == column) ++end;
    if (end - i <= 4) {
      kept.insert(kept.end(), run.begin() + i, run.begin() + end);
    } else {
      const auto by_y = [](Point a, Point b) { return a.y < b.y; };
      const auto [least, most] = std::minmax_element(run.begin() + i, run.begin() + end, by_y);
      kept.push_back(run[i]);
      kept.push_back(least < most ? *least : *most);
      kept.push_back(least < most ? *most : *least);
      kept.push_back(run[end - 1]);
    }
    i = end;
  }
  return kept;
}

// Liang and Barsky 1984: the part of a segment inside a rectangle.
bool clip_segment(Point& a, Point& b, const Rect& area) {
  const double dx = b.x - a.x, dy = b.y - a.y;
  double from = 0, to = 1;
  const auto edge = [&](double p, double q) {
    if (p == 0) return q >= 0;
    const double t = q / p;
    if (p < 0)
      from = std::max(from, t);
    else
      to = std::min(to, t);
    return from <= to;
  };
  if (!edge(-dx, a.x - area.x) || !edge(dx, area.right() - a.x) || !edge(-dy, a.y - area.y) ||
      !edge(dy, area.bottom() - a.y))
    return false;
  const Point start = a;
  if (to < 1) b = {start.x + to * dx, start.y + to * dy};
  if (from > 0) a = {start.x + from * dx, start.y + from * dy};
  return true;
}

std::vector<std::vector<Point>> clip_line(const std::vector<Point>& line, const Rect& area) {
  std::vector<std::vector<Point>> pieces;
  if (line.size() == 1) {
    if (area.contains(line[0])) pieces.push_back(line);
    return pieces;
  }
  bool open = false;
  for (std::size_t i = 0; i + 1 < line.size(); ++i) {
    Point a = line[i], b = line[i + 1];
    if (!clip_segment(a, b, area)) {
      open = false;
      continue;
    }
    if (!open) pieces.push_back({a});
    pieces.back().push_back(b);
    open = b.x == line[i + 1].x && b.y == line[i + 1].y;
  }
  return pieces;
}

// Sutherland and Hodgman 1974.
std::vector<Point> clip_polygon(std::vector<Point> polygon, const Rect& area) {
  const auto cut = [&](auto inside, auto crossing) {
    std::vector<Point> kept;
    for (std::size_t i = 0; i < polygon.size(); ++i) {
      const Point a = polygon[i], b = polygon[(i + 1) % polygon.size()];
      if (inside(a)) kept.push_back(a);
      if (inside(a) != inside(b)) kept.push_back(crossing(a, b));
    }
    polygon = std::move(kept);
  };
  const auto at_x = [](double x) {
    return [x](Point a, Point b) { return Point{x, a.y + (b.y - a.y) * ((x - a.x) / (b.x - a.x))}; };
  };
  const auto at_y = [](double y) {
    return [y](Point a, Point b) { return Point{a.x + (b.x - a.x) * ((y - a.y) / (b.y - a.y)), y}; };
  };
  cut([&](Point p) { return p.x >= area.x; }, at_x(area.x));
  cut([&](Point p) { return p.x <= area.right(); }, at_x(area.right()));
  cut([&](Point p) { return p.y >= area.y; }, at_y(area.y));
  cut([&](Point p) { return p.y <= area.bottom(); }, at_y(area.bottom()));
  return polygon;
}

bool shown(Point p) {
  return std::isfinite(p.x) && std::isfinite(p.y);
}

}  // namespace

double AxisMap::page(double value) const {
  double at;
  if (scale == AxisScale::log)
    at = value > 0 ? (std::log(value) - std::log(low)) / (std::log(high) - std::log(low)) : NAN;
  else
    at = value / (high - low) - low / (high - low);
  const double place = from + (to - from) * at;
  return std::isfinite(value) && std::isfinite(place) ? place : NAN;
}

double AxisMap::value(double page) const {
  const double at = (page - from) / (to - from);
  if (scale == AxisScale::log) return std::exp(std::log(low) + at * (std::log(high) - std::log(low)));
  return low * (1 - at) + high * at;
}

std::vector<std::vector<Point>> page_lines(std::span<const double> x, std::span<const double> y, const AxisMap& map_x,
                                           const AxisMap& map_y, const Rect& area) {
  std::vector<std::vector<Point>> pieces;
  std::vector<Point> run;
  const auto finish = [&] {
    if (run.empty()) return;
    for (auto& piece : clip_line(decimate(run), area.grown(kMargin))) pieces.push_back(std::move(piece));
    run.clear();
  };
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Point p{map_x.page(x[i]), map_y.page(y[i])};
    if (shown(p))
      run.push_back(p);
    else
      finish();
  }
  finish();
  return pieces;
}

std::vector<std::vector<Point>> page_bands(std::span<const double> x, std::span<const double> lower,
                                           std::span<const double> upper, const AxisMap& map_x, const AxisMap& map_y,
                                           const Rect& area) {
  std::vector<std::vector<Point>> polygons;
  std::vector<Point> low, high;
  const auto finish = [&] {
    if (low.size() > 1) {
      std::vector<Point> outline = decimate(high);
      const std::vector<Point> back = decimate(low);
      outline.insert(outline.end(), back.rbegin(), back.rend());
      outline = clip_polygon(std::move(outline), area.grown(kMargin));
      if (outline.size() > 2) polygons.push_back(std::move(outline));
    }
    low.clear();
    high.clear();
  };
  for (std::size_t i = 0; i < x.size(); ++i) {
    const bool below_log = map_y.scale == AxisScale::log && lower[i] <= 0 && std::isfinite(lower[i]);
    const Point l{map_x.page(x[i]), below_log ? map_y.page(map_y.low) : map_y.page(lower[i])};
    const Point u{l.x, map_y.page(upper[i])};
    if (shown(l) && shown(u)) {
      low.push_back(l);
      high.push_back(u);
    } else {
      finish();
    }
  }
  finish();
  return polygons;
}

std::vector<Point> page_points(std::span<const double> x, std::span<const double> y, const AxisMap& map_x,
                               const AxisMap& map_y, const Rect& area, double cell) {
  std::vector<Point> points;
  std::unordered_set<std::uint64_t> taken;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Point p{map_x.page(x[i]), map_y.page(y[i])};
    if (!shown(p) || !area.grown(0.01).contains(p)) continue;
    if (cell > 0) {
      const auto column = static_cast<std::uint64_t>(p.x / cell + 1e6),
                 row = static_cast<std::uint64_t>(p.y / cell + 1e6);
      if (!taken.insert(column << 32 | row).second) continue;
    }
    points.push_back(p);
  }
  return points;
}

Rect intersection(const Rect& a, const Rect& b) {
  const double x = std::max(a.x, b.x), y = std::max(a.y, b.y);
  return {x, y, std::max(0.0, std::min(a.right(), b.right()) - x), std::max(0.0, std::min(a.bottom(), b.bottom()) - y)};
}

}  // namespace pairs::chart
