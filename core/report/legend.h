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

// Series with the same name, kind, role and style share one entry of a legend, and are one series in all plots of a
// figure.
struct SeriesKey {
  KeyKind kind = KeyKind::line;
  std::string name;
  SeriesRole role = SeriesRole::other;
  LineStyle style = LineStyle::solid;  // its own, whatever it is drawn in
  auto operator<=>(const SeriesKey&) const = default;
};

struct LegendEntry {
  SeriesKey key;     // of the first series that it represents
  std::string name;  // shortened if there is too little room
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

// Adds an entry, unless it has no name; merges markers and band into an existing one with the same name, kind and look.
void add_entry(std::vector<LegendEntry>& entries, LegendEntry entry);

// The named series of a plot, each name once for each kind and look.
std::vector<LegendEntry> legend_entries(const Plot& plot);

// A legend whose entries fill rows `room` points wide, not yet placed; names longer than a row end in "…". It depends
// only on names and sizes, so that it does not move when data change.
Legend row_legend(std::vector<LegendEntry> entries, double room, const TextMeasure& measure);

}  // namespace pairs::chart
