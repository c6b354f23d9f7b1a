#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/eval/evaluation_row.h"
#include "core/eval/mean_error.h"

namespace pairs {

// Scores of runs that differ in their seed alone, taken together. Their error is that over seeds and that over test
// sets, added in squares.

// Mean of `values`, one a run, whose standard errors over test sets are `errors` (NaN: not known, left out). The sets
// are the same for all runs, so that their error does not shrink with more of these: it is the mean of `errors`. NaN
// where neither is known.
MeanAndError mean_over_seeds(const std::vector<double>& values, const std::vector<double>& errors);

// How much worse (lower being better) runs score than their baselines, at one N.
struct SeedsDifference {
  std::int64_t seeds = 0, sets = 0;
  double mean = 0, se = 0;
};
struct SeedPair {
  const EvaluationRow *row = nullptr, *baseline = nullptr;
};
// The mean over pairs of differences on the same test sets, as many as all pairs share; pairs that share fewer than two
// are left out. Nothing where none is left.
std::optional<SeedsDifference> difference_over_seeds(const std::vector<SeedPair>& pairs);

}  // namespace pairs
