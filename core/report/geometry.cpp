#include "core/report/geometry.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <unordered_set>

namespace pairs::chart {
namespace {

constexpr double kColumn = 0.5;  // page width of a column of the decimation
constexpr double kMargin = 4;    // clipping keeps this much outside the area

// AxisMap::page with everything that does not depend on the value moved out of the loop.
class PageOf {
 public:
  explicit PageOf(const AxisMap& map)
      : log_(map.scale == AxisScale::log),
        from_(map.from),
        length_(map.to - map.from),
        low_(log_ ? std::log(map.low) : map.low / (map.high - map.low)),
        span_(log_ ? std::log(map.high) - std::log(map.low) : map.high - map.low) {}

  double operator()(double value) const {
    const double at = log_ ? (value > 0 ? (std::log(value) - low_) / span_ : NAN) : value / span_ - low_;
    const double place = from_ + length_ * at;
    return std::isfinite(value) && std::isfinite(place) ? place : NAN;
  }

 private:
  bool log_;
  double from_, length_, low_, span_;
};

// Every value that an axis can show is greater than `above` and finite.
double above_of(const AxisMap& map) {
  return map.scale == AxisScale::log ? 0 : -std::numeric_limits<double>::infinity();
}

// Data in one column of the page: at least low, less than high. Everything on one side of the area is one column, so
// that zooming into a long history costs no more than showing all of it.
struct DataColumn {
  double low, high;
};

DataColumn column_at(double value, double page, const AxisMap& map, const Rect& area) {
  const double least = std::nextafter(above_of(map), 1.0), most = std::numeric_limits<double>::infinity();
  const bool rising = map.from < map.to;
  const double left = area.x - kMargin, right = area.right() + kMargin;
  if (page < left || page >= right) {
    const double edge = map.value(page < left ? left : right);
    return (page < left) == rising ? DataColumn{least, edge} : DataColumn{edge, most};
  }
  const double number = std::floor(page / kColumn);
  const auto column = [&](double k) {
    const double a = map.value(k * kColumn), b = map.value((k + 1) * kColumn);
    return rising ? DataColumn{a, b} : DataColumn{b, a};
  };
  const DataColumn found = column(number);
  // Rounding may have moved a value to the other side of an edge.
  if (value >= found.high) return column(rising ? number + 1 : number - 1);
  if (value < found.low) return column(rising ? number - 1 : number + 1);
  return found;
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
  return PageOf(*this)(value);
}

double AxisMap::value(double page) const {
  const double at = (page - from) / (to - from);
  if (scale == AxisScale::log) return std::exp(std::log(low) + at * (std::log(high) - std::log(low)));
  return low * (1 - at) + high * at;
}

std::vector<std::vector<Point>> page_lines(std::span<const double> x, std::span<const double> y, const AxisMap& map_x,
                                           const AxisMap& map_y, const Rect& area) {
  const PageOf page_x(map_x), page_y(map_y);
  const double above = above_of(map_y), most = std::numeric_limits<double>::max();
  std::vector<std::vector<Point>> pieces;
  std::vector<Point> run;
  const auto finish = [&] {
    if (run.empty()) return;
    for (auto& piece : clip_line(run, area.grown(kMargin))) pieces.push_back(std::move(piece));
    run.clear();
  };
  const auto add = [&](std::size_t i) {
    const Point p{page_x(x[i]), page_y(y[i])};
    if (shown(p))
      run.push_back(p);
    else
      finish();
  };
  for (std::size_t i = 0; i < x.size();) {
    const double at = page_x(x[i]);
    if (!std::isfinite(at) || !(y[i] > above && y[i] <= most)) {
      finish();
      ++i;
      continue;
    }
    const DataColumn column = column_at(x[i], at, map_x, area);
    std::size_t least = i, greatest = i, end = i + 1;
    double low = y[i], high = y[i];
    for (; end < x.size() && x[end] >= column.low && x[end] < column.high && y[end] > above && y[end] <= most; ++end) {
      if (y[end] < low) {
        low = y[end];
        least = end;
      }
      if (y[end] > high) {
        high = y[end];
        greatest = end;
      }
    }
    if (end - i <= 4) {
      for (; i < end; ++i) add(i);
    } else {
      const auto [second, third] = std::minmax(least, greatest);
      add(i);
      if (second != i) add(second);
      if (third != second && third != end - 1) add(third);
      add(end - 1);
      i = end;
    }
  }
  finish();
  return pieces;
}

std::vector<std::vector<Point>> page_bands(std::span<const double> x, std::span<const double> lower,
                                           std::span<const double> upper, const AxisMap& map_x, const AxisMap& map_y,
                                           const Rect& area) {
  const PageOf page_x(map_x), page_y(map_y);
  const double least = std::numeric_limits<double>::lowest(), most = std::numeric_limits<double>::max();
  const double above = above_of(map_y);
  std::vector<std::vector<Point>> polygons;
  std::vector<Point> low, high;
  const auto finish = [&] {
    if (low.size() > 1) {
      std::vector<Point> outline = high;
      outline.insert(outline.end(), low.rbegin(), low.rend());
      outline = clip_polygon(std::move(outline), area.grown(kMargin));
      if (outline.size() > 2) polygons.push_back(std::move(outline));
    }
    low.clear();
    high.clear();
  };
  const auto add = [&](double at, double from, double to) {
    const Point l{page_x(at), from > above ? page_y(from) : page_y(map_y.low)}, u{l.x, page_y(to)};
    if (shown(l) && shown(u)) {
      low.push_back(l);
      high.push_back(u);
    } else {
      finish();
    }
  };
  const auto usable = [&](std::size_t i) {
    return lower[i] >= least && lower[i] <= most && upper[i] > above && upper[i] <= most;
  };
  for (std::size_t i = 0; i < x.size();) {
    const double at = page_x(x[i]);
    if (!std::isfinite(at) || !usable(i)) {
      finish();
      ++i;
      continue;
    }
    const DataColumn column = column_at(x[i], at, map_x, area);
    std::size_t end = i + 1;
    double from = lower[i], to = upper[i];
    for (; end < x.size() && x[end] >= column.low && x[end] < column.high && usable(end); ++end) {
      from = std::min(from, lower[end]);
      to = std::max(to, upper[end]);
    }
    if (end - i <= 4) {
      for (; i < end; ++i) add(x[i], lower[i], upper[i]);
    } else {
      add(x[i], from, to);
      add(x[end - 1], from, to);
      i = end;
    }
  }
  finish();
  return polygons;
}

std::vector<Point> page_points(std::span<const double> x, std::span<const double> y, const AxisMap& map_x,
                               const AxisMap& map_y, const Rect& area, double cell) {
  std::vector<Point> points;
  std::unordered_set<std::uint64_t> taken;
  const PageOf page_x(map_x), page_y(map_y);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Point p{page_x(x[i]), page_y(y[i])};
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
