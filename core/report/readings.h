#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/report/layout.h"

namespace pairs::chart {

// The values that a plot shows at a place: one row for each series with a value there.
struct Reading {
  std::string name, value;
  std::uint32_t color = 0;  // as in the figure
  bool placed = false;      // whether `at` is a point to mark
  Point at;                 // on the page
};
struct Readings {
  double page_x =
      0;  // (of a turned plot y) where the crosshair stands: at the nearest point of a line, else at the mouse
  std::string heading;  // page_x as a value
  std::vector<Reading> rows;
};

// Remembers which lines run from left to right, so that looking up a point need not search all of them. Made anew for
// every figure.
class LineOrder {
 public:
  bool rising(std::size_t plot, std::size_t line, const std::vector<double>& x);
  void clear() { known_.clear(); }

 private:
  std::vector<std::vector<signed char>> known_;  // -1: unknown
};

// Where a plot that is not turned is read.
struct ReadingPlace {
  const Plot& plot;
  const PlotLayout& layout;
  std::size_t index;  // index of the plot
  Point mouse;        // page points
  double reach;
  LineOrder& order;
};

// The readings found so far.
struct FoundReadings {
  Readings reported;
  double x = 0;          // position of the crosshair
  double shown_x = 0;    // value in the heading
  bool snapped = false;  // the crosshair is at a point of a line
  bool spotted = false;  // a dot lies within reach
  std::string bin;       // the bin of the crosshair
};

// Values near `mouse` (page points) in plot `index`. Lines are read at their nearest point, or between points if they
// are drawn there; scatters at the point within `reach`. Series without points are omitted.
Readings readings(const Plot& plot, const PlotLayout& layout, std::size_t index, Point mouse, double reach,
                  LineOrder& order);

// Formats a value for this axis, with enough digits to distinguish two pixels.
std::string axis_value(double value, const AxisMap& map);

}  // namespace pairs::chart
