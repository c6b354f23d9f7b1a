#pragma once

#include <cmath>
#include <vector>

namespace pairs {

// Mean of independent values and its standard error (NaN for fewer than two).
struct MeanAndError {
  double mean, se;
};
inline MeanAndError mean_and_error(const std::vector<double>& values) {
  double sum = 0, squares = 0;
  for (double v : values) sum += v;
  const double n = static_cast<double>(values.size()), mean = sum / n;
  for (double v : values) squares += (v - mean) * (v - mean);
  return {mean, n > 1 ? std::sqrt(squares / (n - 1) / n) : NAN};
}

// Mean of values, NaN of none, and their standard deviation about it (NaN for fewer than two).
struct MeanAndSpread {
  double mean, sd;
};
inline MeanAndSpread mean_and_spread(const std::vector<double>& values) {
  const MeanAndError of = mean_and_error(values);
  return {of.mean, of.se * std::sqrt(static_cast<double>(values.size()))};
}

}  // namespace pairs
