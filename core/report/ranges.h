#pragma once

#include "core/report/figure.h"

namespace pairs::chart {

// The range of an axis.
struct Range {
  double low = 0, high = 1;
  bool fitted = false;  // to the data, rather than set
  bool empty = false;   // there was nothing that the axis can show
};

// The ranges of a plot's axes: as set, or fitted to the data with a small margin. If x was set, y is fitted to the data
// within x. Without data a range is [0, 1], on a logarithmic axis [1, 10].
Range x_range(const Plot& plot);
Range y_range(const Plot& plot, const Range& x);

// Only pictures on unlabeled axes: drawn without axes, with square pixels.
bool pictures_only(const Plot& plot);

}  // namespace pairs::chart
