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

// Its readable name.
inline constexpr const char* kLearnedProduct = "learned product";
// The largest set for which it is computed: each observation costs hundreds of evaluations of the head, or thousands
// for two targets.
inline constexpr std::int64_t kMostLearnedProduct = 1000;

// log q(θ | x) of single observations: rows [M, ...] at theta [S, d] float64 -> [M, S] float64.
using SingleLogDensity = std::function<torch::Tensor(const torch::Tensor& rows, const torch::Tensor& theta)>;

// The log density from an estimator's posteriors at N = 1; the estimator must outlive it. Rows are embeddings [M, l],
// and `given` holds the set's conditions [1, g] or is undefined.
SingleLogDensity single_answers(Estimator& estimator, const torch::Tensor& given = {});

// Why an estimator has no learned product, a clause such as "task x knows no prior density". "" if it has one: its head
// has a density and serves N = 1, and the task has one or two targets with a known prior density.
std::string no_learned_product(const Estimator& estimator);

// The posterior of a set if parameters shared by its observations were drawn anew for each observation: the product of
// the posteriors of single observations, each divided by the prior, times the prior,
//   log q(θ | X) = Σ log q(θ | x_i) − (N − 1) log p(θ) + const,
// normalized on a grid that is narrowed around it, within the prior's bounds or, if it has none, three times the range
// shown in figures. With exact posteriors it is the naive product. One or two targets.
class LearnedProduct {
 public:
  // `rows` [N, ...] are the set's observations, N >= 1, as `single` takes them. Throws Error if the task knows no prior
  // density or the product is nowhere a number; throws Stopped once `keep_going` returns false, also in later calls.
  LearnedProduct(const Task& task, SingleLogDensity single, torch::Tensor rows, std::function<bool()> keep_going = {});
  LearnedProduct(const LearnedProduct&) = delete;
  LearnedProduct& operator=(const LearnedProduct&) = delete;

  // log density at theta [S, d] float64 in original units -> [S] float64.
  torch::Tensor log_density(const torch::Tensor& theta) const;
  // Mean [d] and sd [d], float64.
  const torch::Tensor& mean() const { return density_->mean(); }
  const torch::Tensor& sd() const { return density_->sd(); }
  // S samples, uniform within the cells of the grid, which widens them a little -> [S, d] float64.
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
