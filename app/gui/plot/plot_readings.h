#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/report/layout.h"

namespace pairs::gui {

// What a plot shows at a place: one row for each series that has something there.
struct Reading {
  std::string name, value;
  std::uint32_t color = 0;  // as in the figure
  bool placed = false;      // whether `at` is a point to mark
  chart::Point at;          // on the page
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

// Values near `mouse` (page points) in plot `index`. Lines are read at their nearest point, between points where they
// are drawn; of scatters the point within `reach`. Series without points are left out.
Readings readings(const Plot& plot, const chart::PlotLayout& layout, std::size_t index, chart::Point mouse,
                  double reach, LineOrder& order);

// A value as people read it on this axis: enough digits to tell two pixels apart.
std::string axis_value(double value, const chart::AxisMap& map);

}  // namespace pairs::gui
