#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/batch/parts/arguments.h"
#include "core/report/figure.h"

namespace pairs::batch {

// The figure of the theorem (docs/explanation/training.md, "The theorem made visible"), and the measures of the runs'
// weights.
struct TheoremReport {
  Figure figure;
  // {"runs": [{"run", "strategy", "unexplained", "cauchy_residual"}], "maps": [{"from", "to", "unexplained"}]}: for
  // runs whose stage 1 is done; the first two numbers by the name of each statistic.
  nlohmann::json document;
  std::string text;  // the document as tables, whole lines
};

// Compares runs of one task in one of its worlds, whose sufficient statistics are known. Throws Error otherwise.
TheoremReport theorem_report(const std::vector<std::string>& names, const OpenArguments& open);

}  // namespace pairs::batch
