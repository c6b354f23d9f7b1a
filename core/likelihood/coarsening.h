#pragma once

#include <cstdint>
#include <functional>
#include <span>

namespace pairs {

// The log density of the truth of a set of n observations, in nat up to a constant, in the posterior by the power ζ of
// the likelihood, 0 < ζ <= 1, and the mean of that of this posterior's own samples.
struct PowerScore {
  struct Value {
    double truth, own;
  };
  std::int64_t n = 1;
  std::function<Value(double power)> score;
};

// ζ = 1 / (1 + N / α), the power of the likelihood of N observations under a coarsening of α observations (Miller and
// Dunson 2019, eq. 5): posteriors then are never narrower than those of α observations. 1 for an infinite α.
double coarsened_power(double alpha, std::int64_t n);

// α of a likelihood that was learned from few observations: the error of its networks in the parameters counts as that
// of an estimate from α observations, so that errors of a normal posterior have the variance 1 + N/α where the sampling
// alone gives 1. The α under which the truths of held-out sets are most probable; infinite if it gains at most 2 nat
// over all sets, as it would by chance. A truth counts as at most 30 nat less probable than the posterior's own
// samples, so that a single wrong posterior does not decide.
double fitted_coarsening(std::span<const PowerScore> sets);

}  // namespace pairs
