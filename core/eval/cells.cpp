#include "core/eval/cells.h"

#include <algorithm>
#include <numeric>

#include "core/eval/interval.h"

namespace pairs {

double cell_quantile(const Cells& cells, const std::vector<double>& density, double level) {
  const double wanted = level * std::accumulate(density.begin(), density.end(), 0.0);
  double below = 0;
  for (std::size_t i = 0; i < density.size(); ++i) {
    if (below + density[i] >= wanted && density[i] > 0)
      return cells.low + cells.width() * (static_cast<double>(i) + (wanted - below) / density[i]);
    below += density[i];
  }
  return NAN;
}

TargetNumbers cell_numbers(const Cells& cells, const std::vector<double>& density) {
  TargetNumbers out;
  const double mass = std::accumulate(density.begin(), density.end(), 0.0);
  if (!(mass > 0) || !std::isfinite(mass)) return out;
  const std::vector<double> at = cells.middles();
  double mean = 0, variance = 0;
  for (std::size_t i = 0; i < at.size(); ++i) mean += density[i] / mass * at[i];
  for (std::size_t i = 0; i < at.size(); ++i) variance += density[i] / mass * (at[i] - mean) * (at[i] - mean);
  out.mean = mean;
  out.sd = std::sqrt(variance);
  for (std::size_t q = 0; q < kQuantileLevels.size(); ++q)
    out.quantiles[q] = cell_quantile(cells, density, kQuantileLevels[q]);
  out.mode = at[static_cast<std::size_t>(std::max_element(density.begin(), density.end()) - density.begin())];
  out.intervals = cell_intervals(cells, density);
  return out;
}

}  // namespace pairs
