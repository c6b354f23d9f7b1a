#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/eval/metrics/evaluation_row.h"
#include "core/eval/metrics/mean_error.h"

namespace pairs {

// Combined scores of runs that differ only in the seed. Their error adds that over seeds and that over test sets in
// quadrature.

// The mean of `values`, one per run, with the standard errors `errors` over test sets (NaN: unknown, ignored). All runs
// use the same sets, so that this error does not shrink with more runs: it is the mean of `errors`. NaN if neither is
// known.
MeanAndError mean_over_seeds(const std::vector<double>& values, const std::vector<double>& errors);

// How much worse (lower is better) runs score than their baselines, at one N.
struct SeedsDifference {
  std::int64_t seeds = 0, sets = 0;
  double mean = 0, se = 0;
};
struct SeedPair {
  const EvaluationRow *row = nullptr, *baseline = nullptr;
};
// The mean over pairs of the differences on the test sets that all pairs share; omits pairs that share fewer than two.
// None if no pair remains.
std::optional<SeedsDifference> difference_over_seeds(const std::vector<SeedPair>& pairs);

}  // namespace pairs
