#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

namespace pairs {

// Equal cells of an axis; densities stand for their middles.
struct Cells {
  double low = 0, high = 1;
  std::size_t count = 0;
  double width() const { return (high - low) / static_cast<double>(count); }
  std::vector<double> middles() const;
  bool operator==(const Cells&) const = default;
};

inline constexpr std::array<double, 5> kQuantileLevels = {0.05, 0.25, 0.5, 0.75, 0.95};

// What a posterior says about one quantity.
struct TargetNumbers {
  double mean = NAN, sd = NAN;
  std::array<double, 5> quantiles = {NAN, NAN, NAN, NAN, NAN};  // at kQuantileLevels
  double mean_shift = NAN;                                      // from the exact mean, in exact sd's
  double sd_ratio = NAN;                                        // over the exact sd

  // Of the central interval of 90 %.
  double width() const { return quantiles.back() - quantiles.front(); }
};

// Moments and quantiles of a density on cells (scaled to mass 1; nothing where its mass is not a positive number), and
// one quantile.
TargetNumbers cell_numbers(const Cells& cells, const std::vector<double>& density);
double cell_quantile(const Cells& cells, const std::vector<double>& density, double level);

}  // namespace pairs
