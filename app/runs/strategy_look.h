#pragma once

#include <string>

#include "core/report/figure.h"
#include "core/train/settings/config.h"

namespace pairs {

// The color of a strategy in all figures, and its display name.
SeriesRole strategy_role(const std::string& strategy);
std::string strategy_title(const std::string& strategy);
// The display name of a run's strategy: "PAIRS"; for an ensemble "PAIRS, mean of 5 runs".
std::string run_title(const RunConfig& config);

}  // namespace pairs
