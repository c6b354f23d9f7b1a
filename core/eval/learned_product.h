#pragma once

#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/estimator.h"
#include "core/grid_density.h"

namespace pairs {

// What people call it.
inline constexpr const char* kLearnedProduct = "learned product";
// Observations of a set that it is worked out of at most: each costs hundreds of evaluations of the head, of two
// targets thousands.
inline constexpr std::int64_t kMostLearnedProduct = 1000;

// log q(θ | x) of single observations: rows [M, ...] at theta [S, d] float64 -> [M, S] float64.
using SingleLogDensity = std::function<torch::Tensor(const torch::Tensor& rows, const torch::Tensor& theta)>;

// That of an estimator's answers at N = 1, which must outlive it: rows are embeddings [M, l], and `given` is what is
// known of the set [1, g], or undefined.
SingleLogDensity single_answers(Estimator& estimator, const torch::Tensor& given = {});

// Why an estimator has no learned product, a clause such as "task x knows no prior density"; "" where it has one: its
// head has a density and one for N = 1, and the task one or two targets whose prior density is known.
std::string no_learned_product(const Estimator& estimator);

// The posterior of a set that treats what its observations share as drawn anew with each: the product of the answers to
// its observations one by one, each over the prior, times the prior,
//   log q(θ | X) = Σ log q(θ | x_i) − (N − 1) log p(θ) + const,
// made a density on a grid that is narrowed around it, within the prior's ends, or three times the range that figures
// show where it has none. With exact answers it is the naive product. One or two targets.
class LearnedProduct {
 public:
  // `rows` [N, ...] of the set's observations, N >= 1, as `single` takes them. Throws Error where the task knows no
  // prior density or the product is nowhere a number, Stopped once `keep_going` says no, also later.
  LearnedProduct(const Task& task, SingleLogDensity single, torch::Tensor rows, std::function<bool()> keep_going = {});
  LearnedProduct(const LearnedProduct&) = delete;
  LearnedProduct& operator=(const LearnedProduct&) = delete;

  // log density at theta [S, d] float64 in original units -> [S] float64.
  torch::Tensor log_density(const torch::Tensor& theta) const;
  // Mean [d] and sd [d], float64.
  const torch::Tensor& mean() const { return density_->mean(); }
  const torch::Tensor& sd() const { return density_->sd(); }
  // S draws, uniform within cells of the grid, which widens them a little -> [S, d] float64.
  torch::Tensor sample(std::int64_t count, Stream& stream) const;

 private:
  torch::Tensor product(const torch::Tensor& theta) const;  // log, up to a constant

  const Task& task_;
  SingleLogDensity single_;
  torch::Tensor rows_;
  std::function<bool()> keep_going_;
  std::optional<GridDensity> density_;
};

}  // namespace pairs
