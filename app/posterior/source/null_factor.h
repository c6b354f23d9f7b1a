#pragma once

#include <string>
#include <vector>

#include "app/posterior/source/posterior_source.h"
#include "core/null_value.h"

namespace pairs {

// The Savage–Dickey ratio p(θ₀ | X) / p(θ₀) of one posterior at a task's null value. For the exact posterior it is the
// Bayes factor of θ = θ₀ against θ drawn from its prior (Dickey 1971; nuisances with the same prior under both). For a
// network it is only as accurate as its density at that value.
struct NullFactor {
  std::string name;
  SeriesRole role = SeriesRole::pairs;
  bool ours = false;
  double factor = 1;
};

// The factors of the runs and the exact posterior, in their order; empty if the task has no null value or the sources
// have no exact posterior to compare with.
std::vector<NullFactor> null_factors(const Task& task, const std::vector<PosteriorSource>& sources);

// "θ = 0 (no signal) against θ from the prior: Bayes factor 3.10 exact, 2.90 by PAIRS' density at 0"; "" without any.
std::string null_text(const Task& task, const std::vector<NullFactor>& factors);

}  // namespace pairs
