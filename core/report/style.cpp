#include "core/report/style.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <string>

#include "core/report/shades.h"

namespace pairs {

namespace {

// The colors of a role, its own first (Okabe and Ito's), then those of its other shades: distinguishable from each
// other and from other roles' on light paper and, lightened if they are too dark, on dark.
std::span<const std::uint32_t> role_colors(SeriesRole role) {
  static constexpr std::uint32_t kPairs[] = {0x0072B2, 0x6E8FEA, 0x23328A, 0x009FAF, 0x7A4FD6};
  static constexpr std::uint32_t kN1[] = {0xE69F00, 0x9A6200, 0xB5A300, 0x5E4A20, 0xD98A5B};
  static constexpr std::uint32_t kN110[] = {0x009E73, 0x5DB33F, 0x005A3C, 0x6E8B00, 0x00B8A0};
  static constexpr std::uint32_t kEndToEnd[] = {0xCC79A7, 0x8A2FA0, 0xE0358F, 0x7A5468, 0xE58AE0};
  static constexpr std::uint32_t kGaussian[] = {0xD55E00, 0x963A10, 0xF07C6A, 0xC0222C, 0x7A4A40};
  static constexpr std::uint32_t kText[] = {chart::kTextColor}, kNaive[] = {0x8A8F98}, kOther[] = {0x56B4E9},
                                 kForeign[] = {0xD55E00}, kGhost[] = {0xA9AEB8, 0xB58B5F, 0x7FA88A, 0xB892AE, 0x8C92C4};
  switch (role) {
    case SeriesRole::pairs:
      return kPairs;
    case SeriesRole::n1:
      return kN1;
    case SeriesRole::n1_10:
      return kN110;
    case SeriesRole::end_to_end:
      return kEndToEnd;
    case SeriesRole::gaussian:
      return kGaussian;
    case SeriesRole::naive:
      return kNaive;
    case SeriesRole::other:
      return kOther;
    case SeriesRole::foreign:
      return kForeign;
    case SeriesRole::ghost:
      return kGhost;
    default:
      return kText;
  }
}

}  // namespace

std::uint32_t role_color(SeriesRole role) {
  const std::span<const std::uint32_t> colors = role_colors(base_role(role));
  return colors[static_cast<std::size_t>(shade_of(role)) % colors.size()];
}

namespace chart {
namespace {

constexpr double kLightest = 0.4;  // share of the color in the first of many shades

LineStyle style_of(const SeriesLook& series) {
  if (series.role == SeriesRole::exact) return LineStyle::dashed;
  if (series.role == SeriesRole::naive) return LineStyle::dotted;
  return series.style;
}

bool shaded(SeriesRole role) {
  return role != SeriesRole::exact && role != SeriesRole::naive && role != SeriesRole::truth;
}

}  // namespace

std::vector<SeriesStyle> series_styles(const std::vector<SeriesLook>& all, double width) {
  std::vector<SeriesStyle> result;
  for (const SeriesLook& series : all) {
    const LineStyle style = style_of(series);
    std::vector<std::string_view> names;
    for (const SeriesLook& other : all)
      if (other.role == series.role && style_of(other) == style && !other.name.empty() &&
          std::find(names.begin(), names.end(), other.name) == names.end())
        names.push_back(other.name);
    const auto place = std::find(names.begin(), names.end(), series.name);
    double share = 1;
    if (shaded(series.role) && names.size() > 1 && place != names.end())
      share = kLightest + (1 - kLightest) * static_cast<double>(place - names.begin()) / (names.size() - 1.0);
    // The dashes of the exact posterior must not hide a line below.
    const double thinner = series.role == SeriesRole::exact ? 0.75 : 1;
    result.push_back({tint(role_color(series.role), share), style, thinner * width});
  }
  return result;
}

std::uint32_t tint(std::uint32_t color, double share) {
  std::uint32_t mixed = 0;
  for (const int shift : {16, 8, 0}) {
    const double channel = color >> shift & 0xff;
    mixed |= static_cast<std::uint32_t>(std::lround(255 + share * (channel - 255))) << shift;
  }
  return mixed;
}

}  // namespace chart
}  // namespace pairs
