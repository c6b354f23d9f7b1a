#pragma once

#include <torch/types.h>

#include <functional>
#include <string>
#include <vector>

#include "core/aggregate.h"
#include "core/eval/calibration/calibration.h"
#include "core/eval/evaluate/made_scores.h"
#include "core/eval/metrics/evaluation_row.h"
#include "core/eval/metrics/metrics.h"

namespace pairs {

struct EvaluationOptions {
  std::vector<std::int64_t> sizes;
  std::vector<std::int64_t> sets;       // one number for all sizes or one per size; capped at the number of a task's
                                        // subjects, so that every set is about a different one and all errors and
                                        // floors count subjects
  std::int64_t samples = 499;           // posterior samples per set; 0 omits whatever needs them
  std::uint64_t seed = 1;               // seed of the test sets: runs evaluated with the same seed see the same sets
  bool exact = true;                    // compare with the task's exact posterior if it has one
  std::vector<std::string> references;  // further references to score ("naive product", ...)
  // Scores the learned product (core/eval/references/learned_product.h) on the first so many sets of each size for
  // which it is computed; 0 omits it.
  std::int64_t learned_product = 0;
  MadeDensity made = {};               // a further density to score
  std::int64_t pool_replicates = 100;  // of the bootstrap over a task's finite pool of observations; 0 omits it
  // The purpose of the sets: Purpose::check is for sets that are only timed, which need no preparation.
  Purpose purpose = Purpose::test;
};

// Returns the number of sets to evaluate at sizes[k]: the number in `options`, but at most the number of the task's
// subjects and of its stored test sets of that size.
std::int64_t evaluated_sets(const Task& task, const EvaluationOptions& options, std::size_t k);

// Evaluates on freshly simulated test sets (Purpose::test), embedding every observation, with memory independent of N.
// The data for such sets must be prepared (Task::prepare). `keep_going` is called between chunks (false: throws
// Stopped); `row` receives each finished size; `step` receives after each chunk the total number of sets finished so
// far. Throws Error if a log density, a sample or an error is not finite.
std::vector<EvaluationRow> evaluate(Estimator& estimator, const EvaluationOptions& options,
                                    const std::function<bool()>& keep_going = {},
                                    const std::function<void(const EvaluationRow&)>& row = {},
                                    const std::function<void(std::int64_t sets)>& step = {});

}  // namespace pairs
