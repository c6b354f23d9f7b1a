#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "core/report/figure.h"
#include "core/report/geometry.h"

namespace pairs::gui {

// The user's changes to an axis.
struct AxisZoom {
  std::optional<AxisScale> scale;
  bool zoomed = false;
  double low = 0, high = 0;
  bool operator==(const AxisZoom&) const = default;

  Axis applied(Axis axis) const {
    if (scale) axis.scale = *scale;
    if (zoomed) {
      axis.low = low;
      axis.high = high;
    }
    if (axis.scale == AxisScale::log && axis.low != axis.high && axis.low <= 0) axis.low = axis.high = 0;
    return axis;
  }

  // Zooms to the part of the page between `from` and `to`; no effect beyond numerical precision.
  void show(const chart::AxisMap& map, double from, double to) {
    double a = map.value(from), b = map.value(to);
    if (a > b) std::swap(a, b);
    const bool log = map.scale == AxisScale::log;
    if (!std::isfinite(a) || !std::isfinite(b) || (log && !(a > 1e-300))) return;
    const double size = std::max(std::fabs(a), std::fabs(b));
    if (log ? !(b / a > 1 + 1e-9) || b > 1e300 : !(b - a > 1e-10 * size) || !(b - a > 1e-290) || size > 1e290) return;
    zoomed = true;
    low = a;
    high = b;
  }
};

// The user's changes to a plot's axes.
struct Zoom {
  AxisZoom x, y;
  bool operator==(const Zoom&) const = default;
};

}  // namespace pairs::gui
