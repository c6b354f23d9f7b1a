#pragma once

#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/estimator.h"
#include "core/task.h"

namespace pairs {

// Why frequentist results are not available for a task, a clause: "its target has 2 numbers, …"; "" if they are. They
// require one target with two finite bounds whose sets can be simulated at any value.
std::string no_frequentist_answers(const Task& task);

// ln p(θ) on the grid [G] float64 -> [G]. If the task does not know its prior, the uniform prior is used, provided that
// 4,096 samples are consistent with it (Kolmogorov and Smirnov, p >= 0.001). Throws Error otherwise.
torch::Tensor prior_on_grid(const Task& task, const torch::Tensor& grid, std::uint64_t seed);

// The marginal likelihood of θ, ln p(X | θ) = ln p(θ | X) − ln p(θ) up to a constant, on a grid of θ, for sets of one
// size that are simulated with Purpose::check. The nuisances are integrated over their prior: it is not a profile
// likelihood.
class MarginalLikelihood {
 public:
  virtual ~MarginalLikelihood() = default;
  // The likelihoods of sets with these parameters and conditions, a row each, and indices -> [B, G] float64 on the CPU.
  // `sets` receives the observations of each set, on the CPU; it may be null. Throws Stopped once `keep_going` returns
  // false.
  virtual torch::Tensor of_sets(const Latents& latents, std::uint64_t seed, std::span<const std::int64_t> indices,
                                std::vector<Observations>* sets, const std::function<bool()>& keep_going) = 0;
  // Sets per call that keep memory bounded and stops quick.
  virtual std::int64_t at_once() const = 0;
};

// From an estimator's density, and from the task's exact posterior, for sets of n observations on the grid [G] float64
// with ln p(θ) there.
std::unique_ptr<MarginalLikelihood> estimated_likelihood(std::shared_ptr<Estimator> estimator, std::int64_t n,
                                                         torch::Tensor grid, torch::Tensor log_prior);
std::unique_ptr<MarginalLikelihood> exact_likelihood(std::shared_ptr<const Task> task, std::int64_t n,
                                                     torch::Tensor grid, torch::Tensor log_prior);

}  // namespace pairs
