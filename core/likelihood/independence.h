#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/likelihood/learned_likelihood.h"
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
  std::int64_t groups = 0;                     // parameters that sets were simulated at
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

}  // namespace pairs
