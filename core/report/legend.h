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
  std::vector<LegendEntry> entries;
  Rect box;                  // place on the page, outside the area; width 0: there is no legend
  std::vector<Rect> places;  // of the entries, from the box's top left
  int rows = 0;
};

inline constexpr double kLegendText = 8, kLegendRow = 11.5, kLegendKey = 20, kLegendPad = 5;

// What is named in a plot, each name once for each kind and look.
std::vector<LegendEntry> legend_entries(const Plot& plot);

// A legend whose entries fill rows `room` points wide, its place still open; names that are longer than a row end in
// "…". It depends on names and sizes alone, never on data: it stands still while these move.
Legend row_legend(std::vector<LegendEntry> entries, double room, const TextMeasure& measure);

}  // namespace pairs::chart
