#include "core/report/legend.h"

#include <algorithm>
#include <cmath>

namespace pairs::chart {
namespace {

constexpr double kStep = 3;  // distance of sample points along lines

// Points on what a plot shows, no more than one in each square of kStep.
class Occupied {
 public:
  explicit Occupied(const Rect& area)
      : room_(area.grown(2 * kStep)),
        columns_(static_cast<std::size_t>(room_.width / kStep) + 1),
        rows_(static_cast<std::size_t>(room_.height / kStep) + 1),
        taken_(columns_ * rows_) {}

  void add(const Point& p) {
    if (!room_.contains(p)) return;
    const auto column = static_cast<std::size_t>((p.x - room_.x) / kStep),
               row = static_cast<std::size_t>((p.y - room_.y) / kStep);
    const std::size_t at = row * columns_ + column;
    if (taken_[at]) return;
    taken_[at] = true;
    points_.push_back(p);
  }

  void add(const Point& a, const Point& b) {
    const int parts = std::max(1, static_cast<int>(std::hypot(b.x - a.x, b.y - a.y) / kStep));
    for (int i = 0; i <= parts; ++i) {
      const double t = static_cast<double>(i) / parts;
      add(Point{a.x + t * (b.x - a.x), a.y + t * (b.y - a.y)});
    }
  }

  void add(const std::vector<std::vector<Point>>& pieces) {
    for (const auto& piece : pieces) {
      if (piece.size() == 1) add(piece[0]);
      for (std::size_t i = 0; i + 1 < piece.size(); ++i) add(piece[i], piece[i + 1]);
    }
  }

  void add(const Rect& rect) {
    for (double y = rect.y; y <= rect.bottom(); y += kStep)
      for (double x = rect.x; x <= rect.right(); x += kStep) add(Point{x, y});
  }

  std::vector<Point> points() && { return std::move(points_); }

 private:
  Rect room_;
  std::size_t columns_, rows_;
  std::vector<bool> taken_;
  std::vector<Point> points_;
};

void add(std::vector<LegendEntry>& entries, LegendEntry entry) {
  if (entry.name.empty()) return;
  for (LegendEntry& known : entries)
    if (known.name == entry.name && known.kind == entry.kind && known.style.color == entry.style.color &&
        known.style.style == entry.style.style) {
      known.markers |= entry.markers;
      known.band |= entry.band;
      return;
    }
  entries.push_back(std::move(entry));
}

}  // namespace

std::vector<LegendEntry> legend_entries(const Plot& plot) {
  std::vector<LegendEntry> entries;
  if (!plot.legend) return entries;
  const auto lines = line_styles(plot), contours = contour_styles(plot), dots = scatter_styles(plot),
             bars = bar_styles(plot);
  for (std::size_t i = 0; i < plot.lines.size(); ++i)
    add(entries, {plot.lines[i].name, KeyKind::line, lines[i], plot.lines[i].markers, !plot.lines[i].lower.empty()});
  for (std::size_t i = 0; i < plot.contours.size(); ++i)
    add(entries, {plot.contours[i].name, KeyKind::line, contours[i]});
  for (std::size_t i = 0; i < plot.bars.size(); ++i) add(entries, {plot.bars[i].name, KeyKind::fill, bars[i]});
  for (std::size_t i = 0; i < plot.scatters.size(); ++i) add(entries, {plot.scatters[i].name, KeyKind::point, dots[i]});
  for (const Rule& rule : plot.rules)
    add(entries, {rule.name, KeyKind::rule, {role_color(rule.role), LineStyle::solid, 0.8}});
  for (const HorizontalBand& band : plot.bands) add(entries, {band.name, KeyKind::floor, {kFloorColor}});
  return entries;
}

Legend size_legend(std::vector<LegendEntry> entries, int columns, const TextMeasure& measure) {
  Legend legend;
  if (entries.empty()) return legend;
  const int count = static_cast<int>(entries.size());
  legend.rows = (count + columns - 1) / columns;
  double x = kLegendPad;
  for (int first = 0; first < count; first += legend.rows) {
    double widest = 0;
    for (int i = first; i < std::min(count, first + legend.rows); ++i)
      widest = std::max(widest, measure(entries[i].name, kLegendText, false));
    legend.columns.push_back(x);
    x += kLegendKey + 5 + widest + 12;
  }
  legend.box.width = x - 12 + kLegendPad;
  legend.box.height = legend.rows * kLegendRow + 2 * kLegendPad - 2;
  legend.entries = std::move(entries);
  return legend;
}

void place_legend(Legend& legend, const Rect& area, const std::vector<Point>& occupied) {
  constexpr double kInset = 4, kGap = 2;
  Rect& box = legend.box;
  const double left = area.x + kInset, right = std::max(left, area.right() - kInset - box.width);
  const double top = area.y + kInset, bottom = std::max(top, area.bottom() - kInset - box.height);
  std::vector<Point> places;
  for (const double y : {top, bottom})
    for (const double x : {right, left}) places.push_back({x, y});
  constexpr int kSteps = 12;
  for (int j = 0; j <= kSteps; ++j)
    for (int i = kSteps; i >= 0; --i)
      places.push_back({left + (right - left) * i / kSteps, top + (bottom - top) * j / kSteps});
  std::size_t fewest = occupied.size() + 1;
  for (const Point& place : places) {
    const Rect tried = Rect{place.x, place.y, box.width, box.height}.grown(kGap);
    std::size_t covered = 0;
    for (std::size_t i = 0; i < occupied.size() && covered < fewest; ++i) covered += tried.contains(occupied[i]);
    if (covered < fewest) {
      fewest = covered;
      box.x = place.x;
      box.y = place.y;
    }
    if (fewest == 0) break;
  }
  legend.over_data = fewest > 0;
}

std::vector<Point> occupied_points(const Plot& plot, const AxisMap& map_x, const AxisMap& map_y, const Rect& area) {
  Occupied points(area);
  for (const Line& line : plot.lines) {
    points.add(page_lines(line.x, line.y, map_x, map_y, area));
    if (!line.lower.empty()) {
      points.add(page_lines(line.x, line.lower, map_x, map_y, area));
      points.add(page_lines(line.x, line.upper, map_x, map_y, area));
    }
  }
  for (const Contour& contour : plot.contours) points.add(page_lines(contour.x, contour.y, map_x, map_y, area));
  for (const Scatter& scatter : plot.scatters)
    for (const Point p : page_points(scatter.x, scatter.y, map_x, map_y, area, 2)) points.add(p);
  for (const Rule& rule : plot.rules) {
    const double x = map_x.page(rule.x);
    if (std::isfinite(x)) points.add(Point{x, area.y}, Point{x, area.bottom()});
  }
  for (const Bars& bars : plot.bars)
    for (std::size_t i = 0; i < bars.heights.size(); ++i) {
      const double left = map_x.page(bars.edges[i]), right = map_x.page(bars.edges[i + 1]);
      const double top = map_y.page(bars.heights[i]);
      if (std::isfinite(left) && std::isfinite(right) && std::isfinite(top))
        points.add(intersection({left, top, right - left, area.bottom() - top}, area));
    }
  for (const Picture& picture : plot.pictures) {
    const double x0 = map_x.page(picture.x0), x1 = map_x.page(picture.x1);
    const double y0 = map_y.page(picture.y0), y1 = map_y.page(picture.y1);
    if (std::isfinite(x0 + x1 + y0 + y1))
      points.add(intersection({std::min(x0, x1), std::min(y0, y1), std::fabs(x1 - x0), std::fabs(y1 - y0)}, area));
  }
  return std::move(points).points();
}

}  // namespace pairs::chart
