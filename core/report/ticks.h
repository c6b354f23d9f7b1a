#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/report/figure.h"

namespace pairs::chart {

struct Tick {
  double value;
  std::string label;  // UTF-8, with a true minus sign; "1,000", "10⁵"
};

struct Ticks {
  std::vector<Tick> major;
  std::vector<double> minor;
  int exponent = 0;  // the labels are multiples of 10^exponent
};

// Ticks at multiples of `step` (a round number) in [low, high].
Ticks linear_ticks(double low, double high, double step);

// The finest ticks on [low, high] that `fits` accepts, else as many of the coarsest as it accepts, but at least one.
// Linear axes step by 1, 2 or 5 times a power of ten; logarithmic ones by decades, or by 1, 2, 5 if there are few
// decades. low < high, both finite, and above zero on a logarithmic axis.
Ticks choose_ticks(AxisScale scale, double low, double high, const std::function<bool(const Ticks&)>& fits);

// "⁻12" for -12.
std::string superscript(int number);

// A number with thousands separators, a fixed number of decimals and a true minus sign.
std::string grouped_number(double value, int decimals);

}  // namespace pairs::chart
