#pragma once

#include <string>

#include "core/report/figure.h"
#include "core/train/config.h"

namespace pairs {

// The colour of a strategy in every figure, and its name for people.
SeriesRole strategy_role(const std::string& strategy);
std::string strategy_title(const std::string& strategy);
// The same of a run: "PAIRS", of an ensemble "PAIRS, mean of 5 runs".
std::string run_title(const RunConfig& config);

}  // namespace pairs
