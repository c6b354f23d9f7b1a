#include "core/report/marks.h"

#include <algorithm>

#include "core/report/marks/mark_kind.h"
#include "core/report/marks/page_points.h"

namespace pairs::chart {

std::vector<Point> marked_points(const Plot& plot, const PlotLayout& layout) {
  PagePoints points(layout.area);
  for (const MarkKind* kind : mark_kinds()) kind->mark(plot, layout, points);
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
