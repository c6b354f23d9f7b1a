#pragma once

#include <torch/types.h>

#include <functional>
#include <string>
#include <vector>

#include "core/aggregate.h"
#include "core/eval/calibration.h"
#include "core/eval/evaluation_row.h"
#include "core/eval/metrics.h"

namespace pairs {

struct EvaluationOptions {
  std::vector<std::int64_t> sizes;
  std::vector<std::int64_t> sets;       // one number for all sizes or one a size; of tasks whose subjects are counted
                                        // no more than these, so that every set is about another one and all errors
                                        // and floors count subjects
  std::int64_t samples = 499;           // posterior draws a set; 0 leaves out what needs them
  std::uint64_t seed = 1;               // of the test sets: runs evaluated with the same seed see the same sets
  bool exact = true;                    // compare with the task's exact posterior where it has one
  std::vector<std::string> references;  // further references to score ("naive product", ...)
  // Scores the learned product (core/eval/learned_product.h) on the first so many sets of each size that it is worked
  // out of; 0 leaves it out.
  std::int64_t learned_product = 0;
  std::int64_t pool_replicates = 100;  // of the bootstrap over a task's finite pool of observations; 0 leaves it out
  // Whose sets: Purpose::check for those that only take time, which need nothing prepared.
  Purpose purpose = Purpose::test;
};

// How many sets are evaluated at sizes[k]: no more than the task has subjects, or stores sets for evaluations that
// large.
std::int64_t evaluated_sets(const Task& task, const EvaluationOptions& options, std::size_t k);

// Evaluates on freshly simulated test sets (Purpose::test), every observation embedded, memory independent of N. What
// such sets need must stand already (Task::prepare). `keep_going` is asked between chunks (false: throws Stopped);
// `row` receives each finished size; `step` hears after each chunk how many sets of the sizes so far are done, added
// up. Throws Error where a log density, a sample or an error is not finite.
std::vector<EvaluationRow> evaluate(Estimator& estimator, const EvaluationOptions& options,
                                    const std::function<bool()>& keep_going = {},
                                    const std::function<void(const EvaluationRow&)>& row = {},
                                    const std::function<void(std::int64_t sets)>& step = {});

}  // namespace pairs
