#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/report/layout.h"

namespace pairs::chart {

// What a plot shows at a place: one row for each series that has something there.
struct Reading {
  std::string name, value;
  std::uint32_t color = 0;  // as in the figure
  bool placed = false;      // whether `at` is a point to mark
  Point at;                 // on the page
};
struct Readings {
  double page_x =
      0;  // (of a turned plot y) where the crosshair stands: at the nearest point of a line, else at the mouse
  std::string heading;  // that x
  std::vector<Reading> rows;
};

// Knows which lines run from left to right, so that looking up a point needs no search through all of them. Made anew
// for every figure.
class LineOrder {
 public:
  bool rising(std::size_t plot, std::size_t line, const std::vector<double>& x);
  void clear() { known_.clear(); }

 private:
  std::vector<std::vector<signed char>> known_;  // -1: not looked at yet
};

// Where a plot is read, which is not turned.
struct ReadingPlace {
  const Plot& plot;
  const PlotLayout& layout;
  std::size_t index;  // of the plot
  Point mouse;        // page points
  double reach;
  LineOrder& order;
};

// What has been found so far.
struct FoundReadings {
  Readings told;
  double x = 0;          // where the crosshair stands,
  double shown_x = 0;    // and what the heading says
  bool snapped = false;  // it stands at a point of a line
  bool spotted = false;  // a dot lies within reach
  std::string bin;       // it stands in
};

// Values near `mouse` (page points) in plot `index`. Lines are read at their nearest point, between points where they
// are drawn; of scatters the point within `reach`. Series without points are left out.
Readings readings(const Plot& plot, const PlotLayout& layout, std::size_t index, Point mouse, double reach,
                  LineOrder& order);

// A value as people read it on this axis: enough digits to tell two pixels apart.
std::string axis_value(double value, const AxisMap& map);

}  // namespace pairs::chart
