#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include "core/base/numbers/axis_cells.h"

namespace pairs {

inline constexpr std::array<double, 5> kQuantileLevels = {0.05, 0.25, 0.5, 0.75, 0.95};

// Kinds of credible intervals. central: equal probability below and above; highest_density: the shortest; upper_limit:
// everything from the lowest possible value.
enum class IntervalKind { central, highest_density, upper_limit };
inline constexpr std::size_t kIntervalKinds = 3;
inline constexpr std::array<double, 2> kIntervalLevels = {0.5, 0.9};
struct Interval {
  double low = NAN, high = NAN;
  double width() const { return high - low; }
};
using Intervals = std::array<std::array<Interval, kIntervalLevels.size()>, kIntervalKinds>;

// Summary of a posterior of one quantity.
struct TargetNumbers {
  double mean = NAN, sd = NAN;
  double mode = NAN;                                            // where the density is highest
  Intervals intervals;                                          // for each IntervalKind, at kIntervalLevels
  std::array<double, 5> quantiles = {NAN, NAN, NAN, NAN, NAN};  // at kQuantileLevels
  double mean_shift = NAN;                                      // from the exact mean, in exact sd's
  double sd_ratio = NAN;                                        // over the exact sd

  // The intervals of a kind at 50 % and at 90 %.
  const Interval& half(IntervalKind kind) const { return intervals[static_cast<std::size_t>(kind)][0]; }
  const Interval& most(IntervalKind kind) const { return intervals[static_cast<std::size_t>(kind)][1]; }
  // Whether the mode lies outside the central 90 % interval, as at a bound of the support.
  bool peak_outside() const { return mode < quantiles.front() || mode > quantiles.back(); }
  // The width of the central 90 % interval.
  double width() const { return quantiles.back() - quantiles.front(); }
};

// Moments and quantiles of a density on cells, normalized to mass 1 (all NaN unless its mass is positive); and a single
// quantile.
TargetNumbers cell_numbers(const Cells& cells, const std::vector<double>& density);
double cell_quantile(const Cells& cells, const std::vector<double>& density, double level);
// The peaks of a density on cells, from low to high: between two peaks it falls to at most half of the lower one, and
// each peak holds at least a twentieth of the mass. Most densities have one.
std::vector<double> peaks(const Cells& cells, const std::vector<double>& density);

}  // namespace pairs
