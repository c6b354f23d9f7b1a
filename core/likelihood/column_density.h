#pragma once

#include <ATen/core/Generator.h>
#include <torch/nn/module.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "core/likelihood/column_scale.h"
#include "core/likelihood/likelihood_settings.h"
#include "core/nn/mlp.h"

namespace pairs {

// q(x | context) of m numbers, one after another: q(x_j | x_1 .. x_{j-1}, context) is a mixture (Bishop 1994) of normal
// densities for a continuous column and, for one of whole numbers, of logistic distributions whose mass on the unit
// cell around a number is its probability; on a circle both are wrapped around it. Atoms, single values of a column,
// have probabilities beside that mixture, by which they are drawn or not. x [B, m] and context [B, c] are standardized
// float32 on one device.
class ColumnDensity : public torch::nn::Module {
 public:
  using Settings = ColumnSettings;

  ColumnDensity(const Settings& settings, std::vector<ColumnForm> forms, std::int64_t context, at::Generator generator);

  std::int64_t columns() const { return static_cast<std::int64_t>(forms_.size()); }
  // log q of the columns from `first` on, given those before -> [B]. Differentiable.
  torch::Tensor log_prob(const torch::Tensor& x, const torch::Tensor& context, std::int64_t first = 0) const;
  // How far the outputs of all columns' networks are from straight lines between neighboring inputs: the mean square of
  // their second differences along random directions around x [B, m] and context, in which `key` draws half a standard
  // deviation for each input; summed over columns. Differentiable.
  torch::Tensor curvature(const torch::Tensor& x, const torch::Tensor& context, std::uint64_t key) const;
  // log q of the first `count` columns alone.
  torch::Tensor log_prob_of_first(const torch::Tensor& x, const torch::Tensor& context, std::int64_t count) const;
  // log q of the columns from `first` on, of every x [N, m] under every context [S, c] -> [S, N]. The network of column
  // 0 runs once per context.
  torch::Tensor log_prob_all(const torch::Tensor& x, const torch::Tensor& context, std::int64_t first = 0) const;
  // One sample for each context -> [B, m]; random numbers are a pure function of `key`. No gradients.
  torch::Tensor sample(const torch::Tensor& context, std::uint64_t key) const;
  // Normal scores Φ⁻¹(Q(x_j | x_1 .. x_{j-1}, context)) -> [B, m], clamped to ±5; independent and standard normal if q
  // is the distribution of x and its columns are continuous. Whole numbers count with half the mass of their cell.
  torch::Tensor normal_scores(const torch::Tensor& x, const torch::Tensor& context) const;

 private:
  // The mixtures of one column: [.., K] each.
  struct Mixture {
    torch::Tensor log_weight, mean, log_scale;
    torch::Tensor log_atoms, log_rest;  // of the atoms [.., A] and of all other values [.., 1]; undefined without atoms
  };
  Mixture mixture(std::int64_t j, const torch::Tensor& input) const;
  // log q of x [.., 1] under the mixture -> [..]; that beside atoms, on the line or on the circle around which it is
  // wrapped; and that on the line.
  torch::Tensor log_density(std::int64_t j, const torch::Tensor& x, const Mixture& mixture) const;
  torch::Tensor log_density_beside(std::int64_t j, const torch::Tensor& x, const Mixture& mixture) const;
  torch::Tensor log_density_on_line(std::int64_t j, const torch::Tensor& x, const Mixture& mixture) const;
  torch::Tensor log_prob_between(const torch::Tensor& x, const torch::Tensor& context, std::int64_t first,
                                 std::int64_t end) const;
  // What the network of column j sees of x [B, m]: the columns before, of a circle the direction, and which atom it is.
  torch::Tensor seen(std::int64_t j, const torch::Tensor& x) const;
  std::int64_t seen_size(std::int64_t j) const;
  std::int64_t outputs(std::int64_t j) const;  // of the network of column j
  torch::Tensor input(std::int64_t j, const torch::Tensor& x, const torch::Tensor& context) const;

  std::vector<ColumnForm> forms_;
  std::int64_t components_;
  std::vector<std::shared_ptr<Mlp>> nets_;
  torch::Tensor places_, around_;  // [K]: where components start, of a circle
};

}  // namespace pairs
