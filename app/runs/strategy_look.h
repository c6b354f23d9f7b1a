#pragma once

#include <string>

#include "core/report/figure.h"

namespace pairs {

// The colour of a strategy in every figure, and its name for people.
SeriesRole strategy_role(const std::string& strategy);
std::string strategy_title(const std::string& strategy);

}  // namespace pairs
