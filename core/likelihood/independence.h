#pragma once

#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/likelihood/learned_likelihood.h"
#include "core/likelihood/likelihood_draws.h"
#include "core/task.h"

namespace pairs {

// One statistic of the test: how far the rank of real sets among rearranged ones is from uniform.
struct IndependenceStatistic {
  std::string name;    // "sum of the scores of column y, sets of 300"
  double z = 0;        // standard normal if observations are independent given (θ, ψ, c)
  std::int64_t n = 0;  // observations of a set
};

// Whether the observations of a set are independent given its parameters, on which a learned likelihood rests.
struct IndependenceTest {
  std::vector<IndependenceStatistic> statistics;
  double p = 1;                                // of the largest |z|, times the number of statistics
  std::int64_t groups = 0;                     // parameters that sets were simulated at; 0: nothing was tested
  std::int64_t n = 0;                          // observations of the largest sets
  bool rejected() const;                       // p is below kIndependenceLevel
  const IndependenceStatistic* worst() const;  // the largest |z|; null: none
  std::string text() const;                    // a sentence
};
inline constexpr double kIndependenceLevel = 0.005;

struct IndependenceOptions {
  std::int64_t groups = 200;  // parameters (θ, ψ, c)
  std::int64_t sets = 4;      // simulated at each
  std::vector<std::int64_t> sizes = {2, 30};
  std::int64_t rearranged = 31;  // rearrangements that each group is compared with
  std::uint64_t seed = 1;
  std::function<bool()> keep_going = {};
};

// For each of many parameters several sets of n observations are simulated. If observations are independent given the
// parameters, the i-th observations of these sets can be exchanged, and a statistic of the real sets has a uniform rank
// among those of rearranged ones, however good or bad the likelihood is. Statistics are the spread between sets of the
// sums of normal scores, of their squares, and of the gradients of log q, which shared unknowns widen; and the products
// of neighbors, for series.
IndependenceTest test_independence(const LearnedLikelihood& likelihood, const Task& task,
                                   const IndependenceOptions& options);

// Sets that exist already and have the same parameters: x [S, n, m] float32, their parameters [1, d + p] and conditions
// [1, g] or undefined.
struct RepeatedSets {
  torch::Tensor x, parameters, given;
};
// The groups of at least two different sets with the same parameters and conditions, each with as many observations as
// the smallest of them holds, two at least; at most `most` groups.
std::vector<RepeatedSets> repeated_sets(const LikelihoodDraws& draws, std::int64_t most);
// Tests groups of sets of any sizes, whether or not the likelihood was trained on them: its training does not know
// which observations are of one set. Nothing is tested with fewer than kFewestGroups. `ordered`: whether the
// observations of a set are in the order in which they were simulated, so that neighbors are compared.
IndependenceTest test_independence(const LearnedLikelihood& likelihood, const TaskInfo& info,
                                   std::span<const RepeatedSets> groups, bool ordered, std::uint64_t seed,
                                   const std::function<bool()>& keep_going = {});
inline constexpr std::int64_t kFewestGroups = 8;

}  // namespace pairs
