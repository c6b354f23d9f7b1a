#pragma once

#include <cmath>
#include <optional>
#include <vector>

#include "core/target_choice.h"

namespace pairs {

// How to infer a nuisance between `low` and `high`, infinite if unbounded, when only these bounds and the view with
// most of its prior are known: with two finite bounds as if it were uniform, else as if the view held 99 % of a normal.
inline NuisanceTarget target_of_range(const Nuisance& nuisance, double low, double high) {
  constexpr double uniform_scales = 3.4641, view_scales = 5.1517, view_ranges = 1.3142;  // widths relative to these
  const double width = nuisance.view_high - nuisance.view_low;
  if (std::isfinite(low) && std::isfinite(high))
    return {low, high, (low + high) / 2, (high - low) / uniform_scales, high - low};
  return {low, high, (nuisance.view_low + nuisance.view_high) / 2, width / view_scales, width / view_ranges};
}

// The inference ranges of all nuisances of a task, from their bounds.
inline std::vector<std::optional<NuisanceTarget>> targets_of_ranges(const std::vector<Nuisance>& nuisances,
                                                                    const std::vector<double>& low,
                                                                    const std::vector<double>& high) {
  std::vector<std::optional<NuisanceTarget>> out;
  for (std::size_t k = 0; k < nuisances.size(); ++k) out.push_back(target_of_range(nuisances[k], low[k], high[k]));
  return out;
}

}  // namespace pairs
