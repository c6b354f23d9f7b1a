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

// Why frequentist answers cannot be had of a task, a clause: "its target has 2 numbers, …"; "" where they can. They are
// of one target with two ends whose sets can be simulated at any value of it.
std::string no_frequentist_answers(const Task& task);

// ln p(θ) at the grid [G] float64 -> [G]: of the task, or where it does not know its prior and 4,096 draws of it pass
// for uniform between the target's ends (Kolmogorov and Smirnov, p >= 0.001), the uniform one. Throws Error where
// neither is.
torch::Tensor prior_on_grid(const Task& task, const torch::Tensor& grid, std::uint64_t seed);

// The marginal likelihood of θ, ln p(X | θ) = ln p(θ | X) − ln p(θ) up to a constant, on a grid of θ, of sets of one
// size that are simulated with Purpose::check. The nuisances are integrated over their prior: it is no profile
// likelihood.
class MarginalLikelihood {
 public:
  virtual ~MarginalLikelihood() = default;
  // Of sets with these parameters and what is given of them, a row each, and indices -> [B, G] float64 on the CPU.
  // `sets`: where the observations of each go, on the CPU; null where they are not asked for. Throws Stopped once
  // `keep_going` says no.
  virtual torch::Tensor of_sets(const Latents& latents, std::uint64_t seed, std::span<const std::int64_t> indices,
                                std::vector<Observations>* sets, const std::function<bool()>& keep_going) = 0;
  // Sets to ask for at once, so that memory is bounded and a stop soon heard.
  virtual std::int64_t at_once() const = 0;
};

// By an estimator's density, and by the task's exact posterior; of sets of n observations, on the grid [G] float64 with
// ln p(θ) there.
std::unique_ptr<MarginalLikelihood> estimated_likelihood(std::shared_ptr<Estimator> estimator, std::int64_t n,
                                                         torch::Tensor grid, torch::Tensor log_prior);
std::unique_ptr<MarginalLikelihood> exact_likelihood(std::shared_ptr<const Task> task, std::int64_t n,
                                                     torch::Tensor grid, torch::Tensor log_prior);

}  // namespace pairs
