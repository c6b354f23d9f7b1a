#include "core/report/ranges.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/report/marks/mark_kind.h"

namespace pairs::chart {
namespace {

// The smallest number that a logarithmic axis is fitted to; its inverse is the largest.
constexpr double kLeastLog = 1e-280;

bool asked(const Axis& axis) {
  return axis.low != axis.high;
}

Range padded(const Axis& axis, Extent extent, double share) {
  if (asked(axis)) return {axis.low, axis.high, false, extent.empty()};
  const bool log = axis.scale == AxisScale::log;
  if (extent.empty()) return {log ? 1.0 : 0.0, log ? 10.0 : 1.0, true, true};
  const double magnitude = std::max(std::fabs(extent.low), std::fabs(extent.high));
  if (log) {
    // Limits whose logarithms leave room for zooming out: neither denormal numbers nor infinity.
    const double low = std::log(std::clamp(extent.low, kLeastLog, 1 / kLeastLog)),
                 high = std::log(std::clamp(extent.high, kLeastLog, 1 / kLeastLog));
    const double by = high - low < 1e-9 ? std::log(10.0) / 2 : share * (high - low);
    constexpr double kMost = 660;  // and its inverse: e^660 is 10^286
    return {std::exp(std::max(low - by, -kMost)), std::exp(std::min(high + by, kMost)), true, false};
  }
  const double width = extent.high / 2 - extent.low / 2;  // half, which cannot overflow
  const double by = width <= 1e-9 * magnitude || width == 0 ? std::max(0.05 * magnitude, magnitude == 0 ? 0.5 : 0.0)
                                                            : 2 * share * width;
  const double limit = std::numeric_limits<double>::max() / 4;
  return {std::max(extent.low - by, -limit), std::min(extent.high + by, limit), true, false};
}

}  // namespace

bool pictures_only(const Plot& plot) {
  if (plot.pictures.empty() || !plot.x.label.empty() || !plot.y.label.empty()) return false;
  return std::all_of(mark_kinds().begin(), mark_kinds().end(),
                     [&](const MarkKind* kind) { return kind->over_pictures() || kind->count(plot) == 0; });
}

Range x_range(const Plot& plot) {
  XFit fit{Extent(plot.x.scale)};
  for (const MarkKind* kind : mark_kinds()) kind->fit_x(plot, fit);
  return padded(plot.x, fit.extent, !fit.exact && (fit.roomy || !fit.fills) ? 0.04 : 0.0);
}

Range y_range(const Plot& plot, const Range& x) {
  YFit fit{x, Extent(plot.y.scale), Extent(plot.y.scale)};
  for (const MarkKind* kind : mark_kinds()) kind->fit_y(plot, fit);
  const bool only_pictures = fit.exact && fit.data.empty();
  Extent extent = fit.data;
  extent.add(fit.extra);
  const bool from_zero = plot.y.scale == AxisScale::linear && !only_pictures && !extent.empty() && extent.low >= 0 &&
                         (fit.from_zero || (extent.low <= 0.25 * extent.high && !fit.floating));
  Range range = padded(plot.y, extent, only_pictures ? 0.0 : 0.05);
  if (range.fitted && from_zero && range.high > 0) range.low = 0;
  return range;
}

}  // namespace pairs::chart
