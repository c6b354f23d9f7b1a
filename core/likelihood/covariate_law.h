#pragma once

#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <string>

#include "core/likelihood/learned_likelihood.h"
#include "core/likelihood/likelihood_draws.h"
#include "core/task.h"

namespace pairs {

// Whether the distribution of a task's covariates depends on θ or ψ, in which case a likelihood conditioned on them
// loses what they say, and is wrong.
struct CovariateTest {
  double p = 1;            // of the most extreme statistic, times the number of statistics
  std::int64_t pairs = 0;  // of sets; 0: nothing was tested
  std::string worst = {};  // what it is of: "dose and theta"

  bool rejected() const { return p < kLevel; }
  std::string text() const;  // a sentence
  static constexpr double kLevel = 0.005;
};

// Pairs of sets with n observations each: x [P n, m] standardized by the likelihood, parameters z [P, d + p], and the
// conditions [P, g], or undefined, that both sets of a pair have in common.
struct CovariatePairs {
  std::int64_t n = 0;
  torch::Tensor x1, x2, z1, z2, given;
};

// If the covariates of a set do not depend on its parameters, those of the two sets of a pair can be exchanged,
// whatever the likelihood is. Statistics are antisymmetric in that exchange: what the learned density of the covariates
// gains by the own parameters, and the products of differences in mean, or in mean square, of each covariate with those
// of each parameter. Their signed ranks (Wilcoxon 1945) are compared with a normal distribution.
CovariateTest test_covariates(const LearnedLikelihood& likelihood, const TaskInfo& info, const CovariatePairs& pairs);

// Pairs that a task simulates: the second set of each has other parameters, drawn from the prior, under the conditions
// of the first.
CovariatePairs simulated_pairs(const LearnedLikelihood& likelihood, const Task& task, std::uint64_t seed,
                               const std::function<bool()>& keep_going = {});
// Pairs of stored sets without conditions, each set in one pair.
CovariatePairs stored_pairs(const LearnedLikelihood& likelihood, const LikelihoodDraws& draws);

}  // namespace pairs
