#include "core/report/readings.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/report/marks/mark_kind.h"

namespace pairs::chart {
namespace {

std::string short_number(double value, int digits) {
  if (!std::isfinite(value)) return "–";
  const double size = std::fabs(value);
  if (size != 0 && (size < 1e-4 || size >= 1e7)) {
    int exponent = static_cast<int>(std::floor(std::log10(size)));
    double mantissa = value / std::pow(10.0, exponent);
    if (std::fabs(mantissa) >= 9.9995) {
      mantissa /= 10;
      ++exponent;
    }
    return grouped_number(mantissa, std::min(digits - 1, 3)) + "×10" + superscript(exponent);
  }
  const int before = size == 0 ? 1 : static_cast<int>(std::floor(std::log10(size))) + 1;
  return grouped_number(value, std::clamp(digits - before, 0, 9));
}

}  // namespace

std::string axis_value(double value, const AxisMap& map) {
  if (map.scale == AxisScale::log) return short_number(value, 4);
  const double span = std::fabs(map.high - map.low);
  const double size = std::max({std::fabs(map.low), std::fabs(map.high), std::fabs(value)});
  // A precision of a thousandth of the axis.
  const int digits = static_cast<int>(std::floor(std::log10(size)) - std::floor(std::log10(span)) + 4);
  if (size < 1e-4 || size >= 1e7) return short_number(value, std::clamp(digits, 3, 9));
  const int decimals = std::clamp(3 - static_cast<int>(std::floor(std::log10(span))), 0, 9);
  return std::isfinite(value) ? grouped_number(value, decimals) : "–";
}

bool LineOrder::rising(std::size_t plot, std::size_t line, const std::vector<double>& x) {
  if (known_.size() <= plot) known_.resize(plot + 1);
  std::vector<signed char>& lines = known_[plot];
  if (lines.size() <= line) lines.resize(line + 1, -1);
  if (lines[line] < 0) {
    bool rises = x.empty() || x[0] == x[0];
    for (std::size_t i = 0; rises && i + 1 < x.size(); ++i) rises = x[i] <= x[i + 1];
    lines[line] = rises;
  }
  return lines[line] == 1;
}

Readings readings(const Plot& plot, const PlotLayout& layout, std::size_t index, Point mouse, double reach,
                  LineOrder& order) {
  if (plot.turned) {
    Plot upright = plot;
    upright.turned = false;
    std::swap(upright.x, upright.y);
    PlotLayout turned = layout;
    std::swap(turned.x, turned.y);
    turned.area = {layout.area.y, layout.area.x, layout.area.height, layout.area.width};
    Readings found = readings(upright, turned, index, {mouse.y, mouse.x}, reach, order);
    for (Reading& row : found.rows) std::swap(row.at.x, row.at.y);
    return found;
  }
  const ReadingPlace place{plot, layout, index, mouse, reach, order};
  FoundReadings found;
  found.reported.page_x = mouse.x;
  for (const MarkKind* kind : mark_kinds()) kind->snap(place, found);
  const AxisMap& map_x = layout.x;
  found.x = found.shown_x = map_x.value(found.reported.page_x);
  for (const MarkKind* kind : mark_kinds()) kind->read(place, found);
  // Steps and set sizes are whole numbers.
  const double x = found.shown_x;
  const bool whole = x == std::round(x) && std::fabs(x) < 1e7 && map_x.high - map_x.low >= 5;
  const std::string number = !found.bin.empty() && !found.snapped && !found.spotted ? found.bin
                             : whole                                                ? grouped_number(x, 0)
                                                                                    : axis_value(x, map_x);
  found.reported.heading = plot.x.label.empty() ? number : plot.x.label + "  " + number;
  return std::move(found.reported);
}

}  // namespace pairs::chart
