#include "core/report/marks.h"

#include <algorithm>
#include <cmath>

namespace pairs::chart {
namespace {

constexpr double kMarkerReach = 2.8;  // of markers, which are drawn beyond the area
constexpr double kStep = 3;           // distance of sample points along lines

// Points on what a plot shows, no more than one in each square of kStep.
class Marks {
 public:
  explicit Marks(const Rect& area)
      : room_(area.grown(kMarkerReach + 0.01)),
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

}  // namespace

std::vector<Point> marked_points(const Plot& plot, const PlotLayout& layout) {
  const AxisMap &map_x = layout.x, &map_y = layout.y;
  const Rect& area = layout.area;
  Marks points(area);
  for (const Line& line : plot.lines) {
    points.add(page_lines(line.x, line.y, map_x, map_y, area));
    if (!line.lower.empty()) {
      points.add(page_lines(line.x, line.lower, map_x, map_y, area));
      points.add(page_lines(line.x, line.upper, map_x, map_y, area));
    }
    if (!line.markers) continue;
    for (const Point p : page_points(line.x, line.y, map_x, map_y, area, 0.5))
      for (const double by : {-kMarkerReach, kMarkerReach}) {
        points.add(Point{p.x + by, p.y});
        points.add(Point{p.x, p.y + by});
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

bool legend_over_data(const Plot& plot, const PlotLayout& layout) {
  const Rect& box = layout.legend.box;
  if (box.width <= 0) return false;
  const Rect cell = layout.cell.grown(0.5);
  if (!cell.contains({box.x, box.y}) || !cell.contains({box.right(), box.bottom()})) return true;
  const std::vector<Point> points = marked_points(plot, layout);
  return std::any_of(points.begin(), points.end(), [&](const Point& p) { return box.contains(p); });
}

}  // namespace pairs::chart
