#include "core/report/ranges.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pairs::chart {
namespace {

struct Extent {
  explicit Extent(AxisScale scale) : above(scale == AxisScale::log ? 0 : -std::numeric_limits<double>::infinity()) {}
  double above;
  double low = std::numeric_limits<double>::infinity(), high = -low;
  // Without branches, so that compilers make vectors of loops over it. NaN fails every comparison.
  void add(double value, bool wanted = true) {
    const bool counts = wanted & (value > above) & (value <= std::numeric_limits<double>::max());
    low = counts & (value < low) ? value : low;
    high = counts & (value > high) ? value : high;
  }
  bool empty() const { return low > high; }
};

bool asked(const Axis& axis) {
  return axis.low != axis.high;
}

Range padded(const Axis& axis, Extent extent, double share) {
  if (asked(axis)) return {axis.low, axis.high, false, extent.empty()};
  const bool log = axis.scale == AxisScale::log;
  if (extent.empty()) return {log ? 1.0 : 0.0, log ? 10.0 : 1.0, true, true};
  const double magnitude = std::max(std::fabs(extent.low), std::fabs(extent.high));
  if (log) {
    const double half = std::log(extent.high) - std::log(extent.low);
    const double by = half < 1e-9 ? std::log(10.0) / 2 : share * half;
    return {std::exp(std::log(extent.low) - by), std::exp(std::min(std::log(extent.high) + by, 709.0)), true, false};
  }
  const double width = extent.high / 2 - extent.low / 2;  // half, which cannot overflow
  const double by = width <= 1e-9 * magnitude || width == 0 ? std::max(0.05 * magnitude, magnitude == 0 ? 0.5 : 0.0)
                                                            : 2 * share * width;
  const double limit = std::numeric_limits<double>::max() / 4;
  return {std::max(extent.low - by, -limit), std::min(extent.high + by, limit), true, false};
}

}  // namespace

bool pictures_only(const Plot& plot) {
  return !plot.pictures.empty() && plot.bands.empty() && plot.bars.empty() && plot.lines.empty() &&
         plot.scatters.empty() && plot.rules.empty() && plot.x.label.empty() && plot.y.label.empty();
}

Range x_range(const Plot& plot) {
  Extent extent{plot.x.scale};
  bool markers = false;
  const auto add_all = [&](const std::vector<double>& x, const std::vector<double>& y) {
    for (std::size_t i = 0; i < x.size(); ++i) extent.add(x[i], std::fabs(y[i]) <= std::numeric_limits<double>::max());
  };
  for (const Line& line : plot.lines) {
    add_all(line.x, line.y);
    markers |= line.markers;
  }
  for (const Bars& bars : plot.bars)
    for (const double edge : bars.edges) extent.add(edge);
  for (const Contour& contour : plot.contours) add_all(contour.x, contour.y);
  for (const Scatter& scatter : plot.scatters) add_all(scatter.x, scatter.y);
  for (const Rule& rule : plot.rules) extent.add(rule.x);
  for (const Picture& picture : plot.pictures) {
    extent.add(picture.x0);
    extent.add(picture.x1);
  }
  const bool roomy =
      markers || !plot.contours.empty() || !plot.scatters.empty() || (plot.bars.empty() && plot.lines.empty());
  return padded(plot.x, extent, plot.pictures.empty() && roomy ? 0.04 : 0.0);
}

Range y_range(const Plot& plot, const Range& x) {
  Extent extent{plot.y.scale};
  const auto add_all = [&](const std::vector<double>& at, const std::vector<double>& values) {
    if (x.fitted)
      for (const double value : values) extent.add(value);
    else
      for (std::size_t i = 0; i < values.size(); ++i) extent.add(values[i], (at[i] >= x.low) & (at[i] <= x.high));
  };
  for (const Line& line : plot.lines) {
    add_all(line.x, line.y);
    add_all(line.x, line.lower);
    add_all(line.x, line.upper);
  }
  for (const Bars& bars : plot.bars)
    for (std::size_t i = 0; i < bars.heights.size(); ++i)
      if (x.fitted || (bars.edges[i + 1] >= x.low && bars.edges[i] <= x.high)) extent.add(bars.heights[i]);
  for (const Contour& contour : plot.contours) add_all(contour.x, contour.y);
  for (const Scatter& scatter : plot.scatters) add_all(scatter.x, scatter.y);
  const bool data = !extent.empty();
  for (const HorizontalBand& band : plot.bands) {
    extent.add(band.low);
    extent.add(band.high);
  }
  for (const Picture& picture : plot.pictures) {
    extent.add(picture.y0);
    extent.add(picture.y1);
  }
  const bool only_pictures = !plot.pictures.empty() && !data;
  const bool from_zero =
      plot.y.scale == AxisScale::linear && !only_pictures && !extent.empty() && extent.low >= 0 &&
      (!plot.bars.empty() || (extent.low <= 0.25 * extent.high && plot.scatters.empty() && plot.contours.empty()));
  Range range = padded(plot.y, extent, only_pictures ? 0.0 : 0.05);
  if (range.fitted && from_zero && range.high > 0) range.low = 0;
  return range;
}

}  // namespace pairs::chart
