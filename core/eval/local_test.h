#pragma once

#include <torch/types.h>

#include <cstdint>
#include <functional>

#include "core/estimator.h"
#include "core/eval/two_sample.h"

namespace pairs {

// An observed set as an estimator sees it: its aggregate [1, l], its size, and what is given of it, [1, g] or
// undefined.
struct ObservedAggregate {
  torch::Tensor aggregate;
  std::int64_t n = 0;
  torch::Tensor given = {};
};

struct LocalTestOptions {
  std::int64_t sets = 1000;  // simulated sets of the same size that it learns from; fewer where the task has fewer
  std::uint64_t seed = 1;    // of these sets, of the draws and of what the test is compared with
  std::function<bool()> keep_going = {};                                // asked between chunks; false throws Stopped
  std::function<void(std::int64_t done, std::int64_t sets)> step = {};  // hears how many sets are done
};

// Draws of each simulated set's posterior, and of the observed one's.
inline constexpr std::int64_t kLocalDraws = 200, kLocalObservedDraws = 1000;

// Whether the estimator's posterior of an observed set can be told from truths of simulated test sets that have the
// like of its aggregate (TwoSample::local). In evaluation mode. Throws Error where the head has no density, the task
// has fewer than TwoSample::kFewestSets test sets of that size, or more targets than the draws allow; a usage Error for
// too few sets.
LocalTest local_test(Estimator& estimator, const ObservedAggregate& observed, const LocalTestOptions& options);

}  // namespace pairs
