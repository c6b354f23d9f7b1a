#pragma once

#include <functional>
#include <span>
#include <vector>

#include "core/report/figure.h"

// Points on the page (1/72 inch, y downwards) and the mapping of data to them. Independent of any drawing library.
namespace pairs::chart {

struct Point {
  double x = 0, y = 0;
};

struct Rect {
  double x = 0, y = 0, width = 0, height = 0;
  double right() const { return x + width; }
  double bottom() const { return y + height; }
  bool contains(Point p) const { return p.x >= x && p.x <= right() && p.y >= y && p.y <= bottom(); }
  Rect grown(double by) const { return {x - by, y - by, width + 2 * by, height + 2 * by}; }
};

// Maps one axis: data between low and high lie on the page between from and to.
struct AxisMap {
  AxisScale scale = AxisScale::linear;
  double low = 0, high = 1, from = 0, to = 1;

  // NaN for values that the axis cannot show: NaN, infinities, and zero or less on a logarithmic axis.
  double page(double value) const;
  double value(double page) const;
};

// The pieces of a line between its gaps, clipped to `area` (slightly enlarged for the width of the stroke). If more
// than four points fall on half a point of page width, only the first, smallest, largest and last are kept.
std::vector<std::vector<Point>> page_lines(std::span<const double> x, std::span<const double> y, const AxisMap& map_x,
                                           const AxisMap& map_y, const Rect& area);

// The closed outlines of a band between its gaps, clipped likewise; if more than four points fall in such a column, it
// covers their whole height. Each outline follows `upper` from left to right and returns along `lower`. On a
// logarithmic axis, a lower edge of zero or less extends to the end of the axis.
std::vector<std::vector<Point>> page_bands(std::span<const double> x, std::span<const double> lower,
                                           std::span<const double> upper, const AxisMap& map_x, const AxisMap& map_y,
                                           const Rect& area);

// Points inside `area`, at most one in each square of `cell` page points (0: all of them).
std::vector<Point> page_points(std::span<const double> x, std::span<const double> y, const AxisMap& map_x,
                               const AxisMap& map_y, const Rect& area, double cell);

// The part of `a` inside `b`; width or height 0 if there is none.
Rect intersection(const Rect& a, const Rect& b);

}  // namespace pairs::chart
