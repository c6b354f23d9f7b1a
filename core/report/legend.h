#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/report/figure.h"
#include "core/report/geometry.h"
#include "core/report/style.h"

namespace pairs::chart {

// Width in points of a text on the page.
using TextMeasure = std::function<double(std::string_view text, double size, bool bold)>;

enum class KeyKind { line, fill, point, rule, floor };

struct LegendEntry {
  std::string name;
  KeyKind kind = KeyKind::line;
  SeriesStyle style;
  bool markers = false, band = false;
};

struct Legend {
  std::vector<LegendEntry> entries;  // column by column
  Rect box;                          // place on the page; width 0: there is no legend
  int rows = 0;
  std::vector<double> columns;  // left ends, from the box's
  bool over_data = false;       // no free place was found
};

inline constexpr double kLegendText = 8, kLegendRow = 11.5, kLegendKey = 20, kLegendPad = 5;

// What is named in a plot, each name once for each kind and look.
std::vector<LegendEntry> legend_entries(const Plot& plot);

// The size of a legend of these entries in `columns` columns, its place still open.
Legend size_legend(std::vector<LegendEntry> entries, int columns, const TextMeasure& measure);

// Puts the legend where it covers none of the `occupied` points, corners first; else where it covers the fewest.
void place_legend(Legend& legend, const Rect& area, const std::vector<Point>& occupied);

// Points on everything a legend should not cover.
std::vector<Point> occupied_points(const Plot& plot, const AxisMap& map_x, const AxisMap& map_y, const Rect& area);

}  // namespace pairs::chart
