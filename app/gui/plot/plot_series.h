#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "core/report/figure.h"
#include "core/report/legend.h"

namespace pairs::gui {

// Series of one name, kind, role and style are one entry of a legend, and one in all plots of a figure.
struct SeriesKey {
  chart::KeyKind kind;
  std::string name;
  SeriesRole role;
  LineStyle style;
  auto operator<=>(const SeriesKey&) const = default;
};

// Calls `visit(key, empty)` for every series of a plot; `empty()` takes its data away, so that it takes no part in
// ranges and drawing but keeps its place in the legend.
template <class PlotType, class Visit>
void each_series(PlotType& plot, Visit visit) {
  for (auto& line : plot.lines)
    visit(
        SeriesKey{chart::KeyKind::line, line.name, line.role, line.style},
        [](auto& l) { l.x = l.y = l.lower = l.upper = {}; }, line);
  for (auto& contour : plot.contours)
    visit(
        SeriesKey{chart::KeyKind::line, contour.name, contour.role, contour.style}, [](auto& c) { c.x = c.y = {}; },
        contour);
  for (auto& bars : plot.bars)
    visit(
        SeriesKey{chart::KeyKind::fill, bars.name, bars.role, LineStyle::solid},
        [](auto& b) { b.edges = b.heights = {}; }, bars);
  for (auto& scatter : plot.scatters)
    visit(
        SeriesKey{chart::KeyKind::point, scatter.name, scatter.role, LineStyle::solid}, [](auto& s) { s.x = s.y = {}; },
        scatter);
  for (auto& rule : plot.rules)
    visit(
        SeriesKey{chart::KeyKind::rule, rule.name, rule.role, LineStyle::solid}, [](auto& r) { r.x = NAN; }, rule);
  for (auto& band : plot.bands)
    visit(
        SeriesKey{chart::KeyKind::floor, band.name, SeriesRole::other, LineStyle::solid},
        [](auto& b) { b.low = b.high = NAN; }, band);
}

// The keys of a plot's legend entries, in their order.
std::vector<SeriesKey> legend_keys(const Plot& plot, const std::vector<chart::LegendEntry>& entries);

}  // namespace pairs::gui
