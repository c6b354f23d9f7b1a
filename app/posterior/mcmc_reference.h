#pragma once

#include <torch/types.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/task.h"

namespace pairs {

// How Markov chains are run beside the exact posterior; the paper: 400 data sets, 2 chains of 12,000 steps of tuning
// and 50,000 draws.
struct McmcOptions {
  std::int64_t sets = 0;  // data sets at each place; 0: none
  std::int64_t chains = 2, tuning = 1000, draws = 2000;
};

// Whether the task has what chains ask for (core/joint_posterior.h).
bool has_mcmc(const Task& task);

// What chains over targets and nuisances say of one set. R-hat is the worst, the effective sample size the least, of
// all targets and nuisances, in bulk and tails.
struct McmcAnswer {
  torch::Tensor mean, sd;  // [d] float64, of the targets
  double r_hat = NAN, effective = NAN, seconds = 0;
  std::int64_t divergences = 0;
};

// Of the set x [N, ...] by the sampler of core/eval/nuts.h on one thread. Throws Error where the task has no joint
// posterior, Stopped once `keep_going` says no.
McmcAnswer mcmc_answer(const Task& task, const Observations& x, const McmcOptions& options,
                       const std::function<bool()>& keep_going = {});

// What the chains of many sets came to and cost, beside the exact posterior of the same sets.
class McmcReport {
 public:
  explicit McmcReport(const McmcOptions& options) : options_(options) {}
  // The exact posterior's mean and sd [d] float64, and the seconds that these took.
  void add(const McmcAnswer& answer, const torch::Tensor& mean, const torch::Tensor& sd, double exact_seconds);

  static constexpr double kSettled = 1.01;  // R-hat beyond which chains do not agree (Vehtari et al. 2021)
  std::int64_t sets() const { return sets_; }
  std::int64_t unsettled() const { return unsettled_; }
  std::int64_t divergences() const { return divergences_; }
  double worst_r_hat() const { return worst_r_hat_; }
  double least_effective() const { return least_effective_; }
  // Of one set, on average.
  double seconds() const { return seconds_ / static_cast<double>(sets_); }
  double exact_seconds() const { return exact_seconds_ / static_cast<double>(sets_); }
  // By how much the chains' mean misses the exact one at most, in exact sd: of the sets whose chains agree, and of the
  // others.
  double settled_miss() const { return settled_miss_; }
  double unsettled_miss() const { return unsettled_miss_; }
  // The same in words; nothing of no sets.
  std::vector<std::string> lines() const;

 private:
  McmcOptions options_;
  std::int64_t sets_ = 0, unsettled_ = 0, divergences_ = 0;
  double worst_r_hat_ = 0, least_effective_ = INFINITY, seconds_ = 0, exact_seconds_ = 0;
  double settled_miss_ = 0, unsettled_miss_ = 0;
};

}  // namespace pairs
