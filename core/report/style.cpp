#include "core/report/style.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace pairs {

std::uint32_t role_color(SeriesRole role) {
  switch (role) {
    case SeriesRole::pairs:
      return 0x0072B2;
    case SeriesRole::n1:
      return 0xE69F00;
    case SeriesRole::n1_10:
      return 0x009E73;
    case SeriesRole::end_to_end:
      return 0xCC79A7;
    case SeriesRole::gaussian:
      return 0xD55E00;
    case SeriesRole::exact:
    case SeriesRole::truth:
      return chart::kTextColor;
    case SeriesRole::naive:
      return 0x8A8F98;
    case SeriesRole::other:
      return 0x56B4E9;
  }
  return chart::kTextColor;
}

namespace chart {
namespace {

constexpr double kLightest = 0.4;  // share of the colour in the first of many shades

template <class Series>
LineStyle style_of(const Series& series) {
  if (series.role == SeriesRole::exact) return LineStyle::dashed;
  if (series.role == SeriesRole::naive) return LineStyle::dotted;
  if constexpr (requires { series.style; }) return series.style;
  return LineStyle::solid;
}

bool shaded(SeriesRole role) {
  return role != SeriesRole::exact && role != SeriesRole::naive && role != SeriesRole::truth;
}

template <class Series>
std::vector<SeriesStyle> styles(const std::vector<Series>& all, double width) {
  std::vector<SeriesStyle> result;
  for (const Series& series : all) {
    const LineStyle style = style_of(series);
    std::vector<std::string> names;
    for (const Series& other : all)
      if (other.role == series.role && style_of(other) == style && !other.name.empty() &&
          std::find(names.begin(), names.end(), other.name) == names.end())
        names.push_back(other.name);
    const auto place = std::find(names.begin(), names.end(), series.name);
    double share = 1;
    if (shaded(series.role) && names.size() > 1 && place != names.end())
      share = kLightest + (1 - kLightest) * static_cast<double>(place - names.begin()) / (names.size() - 1.0);
    // Over another line the dashes of the exact answer must not hide it.
    const double thinner = series.role == SeriesRole::exact ? 0.75 : 1;
    result.push_back({tint(role_color(series.role), share), style, thinner * width});
  }
  return result;
}

}  // namespace

std::uint32_t tint(std::uint32_t color, double share) {
  std::uint32_t mixed = 0;
  for (const int shift : {16, 8, 0}) {
    const double channel = color >> shift & 0xff;
    mixed |= static_cast<std::uint32_t>(std::lround(255 + share * (channel - 255))) << shift;
  }
  return mixed;
}

std::vector<SeriesStyle> line_styles(const Plot& plot) {
  return styles(plot.lines, 1.5);
}
std::vector<SeriesStyle> contour_styles(const Plot& plot) {
  return styles(plot.contours, 1.25);
}
std::vector<SeriesStyle> scatter_styles(const Plot& plot) {
  return styles(plot.scatters, 1);
}
std::vector<SeriesStyle> bar_styles(const Plot& plot) {
  return styles(plot.bars, 1);
}

}  // namespace chart
}  // namespace pairs
