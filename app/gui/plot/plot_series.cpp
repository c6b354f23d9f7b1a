#include "app/gui/plot/plot_series.h"

#include <utility>

#include "core/report/marks.h"

namespace pairs::gui {

using chart::KeyKind;

std::vector<SeriesKey> legend_keys(const Plot& plot, const std::vector<chart::LegendEntry>& entries) {
  std::vector<SeriesKey> keys;
  const auto lines = chart::line_styles(plot), contours = chart::contour_styles(plot),
             scatters = chart::scatter_styles(plot), bars = chart::bar_styles(plot);
  for (const chart::LegendEntry& entry : entries) {
    SeriesKey key{entry.kind, entry.name, SeriesRole::other, LineStyle::solid};
    const auto find = [&](const auto& all, const auto& styles) {
      for (std::size_t i = 0; i < all.size(); ++i)
        if (all[i].name == entry.name && styles[i].color == entry.style.color && styles[i].style == entry.style.style) {
          key.role = all[i].role;
          if constexpr (requires { all[i].style; }) key.style = all[i].style;
          return true;
        }
      return false;
    };
    if (entry.kind == KeyKind::line) {
      if (!find(plot.lines, lines)) find(plot.contours, contours);
    } else if (entry.kind == KeyKind::fill) {
      find(plot.bars, bars);
    } else if (entry.kind == KeyKind::point) {
      find(plot.scatters, scatters);
    } else if (entry.kind == KeyKind::rule) {
      for (const Rule& rule : plot.rules)
        if (rule.name == entry.name && role_color(rule.role) == entry.style.color) key.role = rule.role;
    }
    keys.push_back(std::move(key));
  }
  return keys;
}

}  // namespace pairs::gui
