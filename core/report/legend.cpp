#include "core/report/legend.h"

#include <algorithm>

#include "core/report/fitted_name.h"

namespace pairs::chart {
namespace {

void add(std::vector<LegendEntry>& entries, LegendEntry entry) {
  if (entry.name.empty()) return;
  for (LegendEntry& known : entries)
    if (known.name == entry.name && known.kind == entry.kind && known.style.color == entry.style.color &&
        known.style.style == entry.style.style) {
      known.markers |= entry.markers;
      known.band |= entry.band;
      return;
    }
  entries.push_back(std::move(entry));
}

}  // namespace

std::vector<LegendEntry> legend_entries(const Plot& plot) {
  std::vector<LegendEntry> entries;
  if (!plot.legend) return entries;
  const auto lines = line_styles(plot), contours = contour_styles(plot), dots = scatter_styles(plot),
             bars = bar_styles(plot);
  for (std::size_t i = 0; i < plot.lines.size(); ++i)
    add(entries, {plot.lines[i].name, KeyKind::line, lines[i], plot.lines[i].markers, !plot.lines[i].lower.empty()});
  for (std::size_t i = 0; i < plot.contours.size(); ++i)
    add(entries, {plot.contours[i].name, KeyKind::line, contours[i]});
  for (std::size_t i = 0; i < plot.bars.size(); ++i) add(entries, {plot.bars[i].name, KeyKind::fill, bars[i]});
  for (std::size_t i = 0; i < plot.scatters.size(); ++i) add(entries, {plot.scatters[i].name, KeyKind::point, dots[i]});
  for (const Rule& rule : plot.rules)
    add(entries, {rule.name, KeyKind::rule, {role_color(rule.role), LineStyle::solid, 0.8}});
  for (const HorizontalBand& band : plot.bands) add(entries, {band.name, KeyKind::floor, {kFloorColor}});
  return entries;
}

Legend row_legend(std::vector<LegendEntry> entries, double room, const TextMeasure& measure) {
  const double text_room = std::max(12.0, room - 2 * kLegendPad - kLegendKey - 5);
  const auto wide = [&](const std::string& name) { return measure(name, kLegendText, false) > text_room; };
  std::vector<std::string> names;
  for (const LegendEntry& entry : entries) names.push_back(entry.name);
  for (LegendEntry& entry : entries) {
    if (wide(entry.name))
      entry.name = fitted_name(entry.name, names, [&](const std::string& cut) { return !wide(cut); });
  }
  Legend legend;
  if (entries.empty()) return legend;
  double x = kLegendPad;
  legend.rows = 1;
  for (const LegendEntry& entry : entries) {
    const double width = kLegendKey + 5 + measure(entry.name, kLegendText, false);
    if (x > kLegendPad && x + width + kLegendPad > room) {
      x = kLegendPad;
      ++legend.rows;
    }
    legend.places.push_back({x, kLegendPad - 1 + (legend.rows - 1) * kLegendRow, width, kLegendRow});
    legend.box.width = std::max(legend.box.width, x + width + kLegendPad);
    x += width + 12;
  }
  legend.box.height = legend.rows * kLegendRow + 2 * kLegendPad - 2;
  legend.entries = std::move(entries);
  return legend;
}

}  // namespace pairs::chart
