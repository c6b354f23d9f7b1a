#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include "core/axis_cells.h"

namespace pairs {

inline constexpr std::array<double, 5> kQuantileLevels = {0.05, 0.25, 0.5, 0.75, 0.95};

// Intervals of a posterior. central: as much probability below as above; highest_density: the shortest; upper_limit:
// all from the lowest value that is possible.
enum class IntervalKind { central, highest_density, upper_limit };
inline constexpr std::size_t kIntervalKinds = 3;
inline constexpr std::array<double, 2> kIntervalLevels = {0.5, 0.9};
struct Interval {
  double low = NAN, high = NAN;
  double width() const { return high - low; }
};
using Intervals = std::array<std::array<Interval, kIntervalLevels.size()>, kIntervalKinds>;

// What a posterior says about one quantity.
struct TargetNumbers {
  double mean = NAN, sd = NAN;
  double mode = NAN;                                            // where the density is highest
  Intervals intervals;                                          // of each IntervalKind, at kIntervalLevels
  std::array<double, 5> quantiles = {NAN, NAN, NAN, NAN, NAN};  // at kQuantileLevels
  double mean_shift = NAN;                                      // from the exact mean, in exact sd's
  double sd_ratio = NAN;                                        // over the exact sd

  // Which interval of half and of nine tenths.
  const Interval& half(IntervalKind kind) const { return intervals[static_cast<std::size_t>(kind)][0]; }
  const Interval& most(IntervalKind kind) const { return intervals[static_cast<std::size_t>(kind)][1]; }
  // Whether the density is highest where the central interval of 90 % does not reach, as at the end of a support.
  bool peak_outside() const { return mode < quantiles.front() || mode > quantiles.back(); }
  // Of the central interval of 90 %.
  double width() const { return quantiles.back() - quantiles.front(); }
};

// Moments and quantiles of a density on cells (scaled to mass 1; nothing where its mass is not a positive number), and
// one quantile.
TargetNumbers cell_numbers(const Cells& cells, const std::vector<double>& density);
double cell_quantile(const Cells& cells, const std::vector<double>& density, double level);
// Where a density on cells has peaks, from low to high: between two of them it falls to half of the lower one or less,
// and each holds a twentieth of the mass at least. One of most densities.
std::vector<double> peaks(const Cells& cells, const std::vector<double>& density);

}  // namespace pairs
