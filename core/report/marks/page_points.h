#pragma once

#include <vector>

#include "core/report/geometry.h"

namespace pairs::chart {

inline constexpr double kMarkerReach = 2.8;  // radius of markers, which are drawn beyond the area

// Collects points on what a plot shows, at most one in each square of three points of the page.
class PagePoints {
 public:
  explicit PagePoints(const Rect& area);

  void add(const Point& p);
  void add(const Point& a, const Point& b);
  void add(const std::vector<std::vector<Point>>& pieces);
  void add(const Rect& rect);

  std::vector<Point> points() && { return std::move(points_); }

 private:
  Rect room_;
  std::size_t columns_, rows_;
  std::vector<bool> taken_;
  std::vector<Point> points_;
};

}  // namespace pairs::chart
