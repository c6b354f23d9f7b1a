#pragma once

#include <string>
#include <vector>

#include "app/posterior/posterior_source.h"
#include "core/null_value.h"

namespace pairs {

// What one posterior says of a task's null value: the Savage–Dickey ratio p(θ₀ | X) / p(θ₀), which of the exact
// posterior is the Bayes factor of θ = θ₀ against θ drawn from its prior (Dickey 1971; nuisances with the same prior
// under both). Of a network it is as good as its density is at that one value.
struct NullFactor {
  std::string name;
  SeriesRole role = SeriesRole::pairs;
  bool ours = false;
  double factor = 1;
};

// Of the runs' and the exact posterior, in their order; empty where the task has no null value or there is no exact
// posterior among the sources to judge the runs' by.
std::vector<NullFactor> null_factors(const Task& task, const std::vector<PosteriorSource>& sources);

// "θ = 0 (no signal) against θ from the prior: Bayes factor 3.10 exact, 2.90 by PAIRS' density at 0"; "" without any.
std::string null_text(const Task& task, const std::vector<NullFactor>& factors);

}  // namespace pairs
