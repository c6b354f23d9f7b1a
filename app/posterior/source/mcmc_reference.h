#pragma once

#include <torch/types.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/task.h"

namespace pairs {

// How to run Markov chains for comparison with the exact posterior; the paper: 400 data sets, 2 chains with 12,000
// tuning steps and 50,000 draws.
struct McmcOptions {
  std::int64_t sets = 0;  // data sets at each point; 0: none
  std::int64_t chains = 2, tuning = 1000, draws = 2000;
};

// Whether the task has the joint posterior that chains need (core/joint_posterior.h).
bool has_mcmc(const Task& task);

// The result of chains over targets and nuisances for one set. R-hat is the maximum and the effective sample size the
// minimum over all targets and nuisances, in bulk and tails.
struct McmcAnswer {
  torch::Tensor mean, sd;  // [d] float64, of the targets
  double r_hat = NAN, effective = NAN, seconds = 0;
  std::int64_t divergences = 0;
};

// Samples the posterior of the set x [N, ...] by core/eval/references/nuts.h on one thread. Throws Error if the task
// has no joint posterior, Stopped once `keep_going` returns false.
McmcAnswer mcmc_answer(const Task& task, const Observations& x, const McmcOptions& options,
                       const std::function<bool()>& keep_going = {});

// The accuracy and cost of the chains of many sets, compared with their exact posteriors.
class McmcReport {
 public:
  explicit McmcReport(const McmcOptions& options) : options_(options) {}
  // Adds a set with the exact posterior's mean and sd [d] float64, and the seconds that those took.
  void add(const McmcAnswer& answer, const torch::Tensor& mean, const torch::Tensor& sd, double exact_seconds);

  static constexpr double kSettled = 1.01;  // R-hat above which chains do not agree (Vehtari et al. 2021)
  std::int64_t sets() const { return sets_; }
  std::int64_t unsettled() const { return unsettled_; }
  std::int64_t divergences() const { return divergences_; }
  double worst_r_hat() const { return worst_r_hat_; }
  double least_effective() const { return least_effective_; }
  // The average per set.
  double seconds() const { return seconds_ / static_cast<double>(sets_); }
  double exact_seconds() const { return exact_seconds_ / static_cast<double>(sets_); }
  // The maximum error of the chains' mean in exact standard deviations: for sets whose chains agree, and for the
  // others.
  double settled_miss() const { return settled_miss_; }
  double unsettled_miss() const { return unsettled_miss_; }
  // The report as text; empty without sets.
  std::vector<std::string> lines() const;

 private:
  McmcOptions options_;
  std::int64_t sets_ = 0, unsettled_ = 0, divergences_ = 0;
  double worst_r_hat_ = 0, least_effective_ = INFINITY, seconds_ = 0, exact_seconds_ = 0;
  double settled_miss_ = 0, unsettled_miss_ = 0;
};

}  // namespace pairs
