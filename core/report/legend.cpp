#include "core/report/legend.h"

#include <algorithm>

#include "core/report/fitted_name.h"
#include "core/report/marks/mark_kind.h"

namespace pairs::chart {
void add_entry(std::vector<LegendEntry>& entries, LegendEntry entry) {
  if (entry.name.empty()) return;
  for (LegendEntry& known : entries)
    if (known.name == entry.name && known.key.kind == entry.key.kind && known.style.color == entry.style.color &&
        known.style.style == entry.style.style) {
      known.markers |= entry.markers;
      known.band |= entry.band;
      return;
    }
  entries.push_back(std::move(entry));
}

std::vector<LegendEntry> legend_entries(const Plot& plot) {
  std::vector<LegendEntry> entries;
  if (plot.legend)
    for (const MarkKind* kind : mark_kinds()) kind->name(plot, entries);
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
