#include "core/report/marks/page_points.h"

#include <algorithm>
#include <cmath>

namespace pairs::chart {
namespace {

constexpr double kStep = 3;  // distance of sample points along lines

}  // namespace

PagePoints::PagePoints(const Rect& area)
    : room_(area.grown(kMarkerReach + 0.01)),
      columns_(static_cast<std::size_t>(room_.width / kStep) + 1),
      rows_(static_cast<std::size_t>(room_.height / kStep) + 1),
      taken_(columns_ * rows_) {}

void PagePoints::add(const Point& p) {
  if (!room_.contains(p)) return;
  const auto column = static_cast<std::size_t>((p.x - room_.x) / kStep),
             row = static_cast<std::size_t>((p.y - room_.y) / kStep);
  const std::size_t at = row * columns_ + column;
  if (taken_[at]) return;
  taken_[at] = true;
  points_.push_back(p);
}

void PagePoints::add(const Point& a, const Point& b) {
  const int parts = std::max(1, static_cast<int>(std::hypot(b.x - a.x, b.y - a.y) / kStep));
  for (int i = 0; i <= parts; ++i) {
    const double t = static_cast<double>(i) / parts;
    add(Point{a.x + t * (b.x - a.x), a.y + t * (b.y - a.y)});
  }
}

void PagePoints::add(const std::vector<std::vector<Point>>& pieces) {
  for (const auto& piece : pieces) {
    if (piece.size() == 1) add(piece[0]);
    for (std::size_t i = 0; i + 1 < piece.size(); ++i) add(piece[i], piece[i + 1]);
  }
}

void PagePoints::add(const Rect& rect) {
  for (double y = rect.y; y <= rect.bottom(); y += kStep)
    for (double x = rect.x; x <= rect.right(); x += kStep) add(Point{x, y});
}

}  // namespace pairs::chart
