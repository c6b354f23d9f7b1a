#pragma once

#include <torch/types.h>

#include <cstdint>
#include <functional>

#include "core/estimator.h"
#include "core/eval/calibration/two_sample.h"

namespace pairs {

// An observed set as an estimator sees it: its aggregate [1, l], its size, and its conditions, [1, g] or undefined.
struct ObservedAggregate {
  torch::Tensor aggregate;
  std::int64_t n = 0;
  torch::Tensor given = {};
};

struct LocalTestOptions {
  std::int64_t sets = 1000;               // simulated sets of the same size to train on; fewer if the task has fewer
  std::uint64_t seed = 1;                 // seed of these sets, of the samples and of the null distribution
  std::function<bool()> keep_going = {};  // called between chunks; false throws Stopped
  std::function<void(std::int64_t done, std::int64_t sets)> step = {};  // receives the number of sets done
};

// Samples from each simulated set's posterior, and from the observed set's.
inline constexpr std::int64_t kLocalDraws = 200, kLocalObservedDraws = 1000;

// Tests whether the estimator's posterior of an observed set can be distinguished from the truths of simulated test
// sets with similar aggregates (TwoSample::local). In evaluation mode. Throws Error if the head has no density, or if
// the task has fewer than TwoSample::kFewestSets test sets of that size or more targets than the samples allow; throws
// a usage Error for too few sets.
LocalTest local_test(Estimator& estimator, const ObservedAggregate& observed, const LocalTestOptions& options);

}  // namespace pairs
