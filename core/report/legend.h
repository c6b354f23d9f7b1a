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

// Series of one name, kind, role and style are one entry of a legend, and one in all plots of a figure.
struct SeriesKey {
  KeyKind kind = KeyKind::line;
  std::string name;
  SeriesRole role = SeriesRole::other;
  LineStyle style = LineStyle::solid;  // its own, whatever it is drawn in
  auto operator<=>(const SeriesKey&) const = default;
};

struct LegendEntry {
  SeriesKey key;     // of the first series that it stands for
  std::string name;  // as far as there is room for it
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

// Adds an entry, unless it has no name; to one of the same name, kind and look what else stands beside its key.
void add_entry(std::vector<LegendEntry>& entries, LegendEntry entry);

// What is named in a plot, each name once for each kind and look.
std::vector<LegendEntry> legend_entries(const Plot& plot);

// A legend whose entries fill rows `room` points wide, its place still open; names that are longer than a row end in
// "…". It depends on names and sizes alone, never on data: it stands still while these move.
Legend row_legend(std::vector<LegendEntry> entries, double room, const TextMeasure& measure);

}  // namespace pairs::chart
