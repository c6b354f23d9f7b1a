#pragma once

#include "core/report/figure.h"

namespace pairs::chart {

// What an axis shows.
struct Range {
  double low = 0, high = 1;
  bool fitted = false;  // to the data, rather than asked for
  bool empty = false;   // there was nothing that the axis can show
};

// The ranges of a plot's axes: as asked for, or fitted to what it shows with a little room. y is fitted to the data
// within x where x was asked for. Without data a range is [0, 1], on a logarithmic axis [1, 10].
Range x_range(const Plot& plot);
Range y_range(const Plot& plot, const Range& x);

// Only pictures on unlabelled axes: drawn without axes, with square pixels.
bool pictures_only(const Plot& plot);

}  // namespace pairs::chart
