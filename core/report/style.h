#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/report/figure.h"

namespace pairs::chart {

inline constexpr std::uint32_t kTextColor = 0x1F2937, kMutedColor = 0x6B7280, kGridColor = 0xE9EBEF;
inline constexpr std::uint32_t kFloorColor = 0x9CA3AF, kPaper = 0xFFFFFF;

// Dashes and dots, as multiples of the line's width, and the middle of capital letters above the baseline, relative to
// the text size.
inline constexpr double kDash = 3.6, kDashGap = 2, kDot = 1, kDotGap = 1.4, kCapitalMiddle = 0.364;

struct SeriesStyle {
  std::uint32_t color = 0;
  LineStyle style = LineStyle::solid;
  double width = 1.5;
};

// What the look of a series depends on.
struct SeriesLook {
  std::string_view name;
  SeriesRole role;
  LineStyle style;
};

// The styles of all series of one kind in a plot. Exact posteriors are dashed and naive ones dotted, whatever their own
// style. If several names share a role and a style, earlier ones are lighter and the last has the full color.
std::vector<SeriesStyle> series_styles(const std::vector<SeriesLook>& all, double width);
template <class Series>
std::vector<SeriesStyle> series_styles(const std::vector<Series>& all, double width) {
  std::vector<SeriesLook> looks;
  for (const Series& series : all) {
    looks.push_back({series.name, series.role, LineStyle::solid});
    if constexpr (requires { series.style; }) looks.back().style = series.style;
  }
  return series_styles(looks, width);
}
// The styles of a plot's lines.
std::vector<SeriesStyle> line_styles(const Plot& plot);

// `share` of a color mixed with white.
std::uint32_t tint(std::uint32_t color, double share);

}  // namespace pairs::chart
