#include "core/eval/metrics/cells.h"

#include <algorithm>
#include <numeric>

#include "core/eval/metrics/interval.h"

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

std::vector<double> peaks(const Cells& cells, const std::vector<double>& density) {
  constexpr double kValley = 0.5, kLeastMass = 0.05;
  const double mass = std::accumulate(density.begin(), density.end(), 0.0);
  if (!(mass > 0) || !std::isfinite(mass)) return {};
  struct Peak {
    std::size_t at;  // its highest cell
    double valley;   // the lowest density after it so far, and where
    std::size_t valley_at;
  };
  std::vector<Peak> found;
  for (std::size_t i = 0; i < density.size(); ++i) {
    const double value = density[i];
    if (found.empty()) {
      if (value > 0) found.push_back({i, value, i});
    } else if (Peak& last = found.back(); last.valley <= kValley * std::min(value, density[last.at])) {
      found.push_back({i, value, i});
    } else if (value > density[last.at]) {
      last = {i, value, i};
    } else if (value < last.valley) {
      last.valley = value;
      last.valley_at = i;
    }
  }
  std::vector<double> out;
  std::size_t from = 0;
  for (std::size_t k = 0; k < found.size(); ++k) {
    const std::size_t until = k + 1 < found.size() ? found[k].valley_at : density.size();
    const double part = std::accumulate(density.begin() + static_cast<std::ptrdiff_t>(from),
                                        density.begin() + static_cast<std::ptrdiff_t>(until), 0.0);
    if (part >= kLeastMass * mass) out.push_back(cells.low + cells.width() * (static_cast<double>(found[k].at) + 0.5));
    from = until;
  }
  return out;
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
