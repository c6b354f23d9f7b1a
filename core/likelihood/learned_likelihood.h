#pragma once

#include <torch/types.h>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/likelihood/column_density.h"
#include "core/likelihood/column_scale.h"
#include "core/likelihood/likelihood_draws.h"
#include "core/likelihood/likelihood_settings.h"
#include "core/likelihood/parameter_space.h"
#include "core/task.h"

namespace pairs {

// The columns of x in the order of a learned density: covariates, then the others.
std::vector<std::int64_t> density_order(const TaskInfo& info);
// The name of column k of x: "y", or "x1" where columns have no names.
std::string column_name(const TaskInfo& info, std::int64_t k);

// q(x | θ, ψ, c), the learned distribution of one observation given all parameters and conditions of its set, and the
// learned prior p(θ, ψ | c). For independent observations the posterior of a set of any size follows from both:
// p(θ, ψ | X) ∝ p(θ, ψ) Π q(x_i | θ, ψ, c). The training of q never sees more than one observation at a time.
// Where x has covariates u (TaskInfo::covariates), Π q(y_i | u_i, θ, ψ, c) of the other columns y takes its place: the
// distribution of u, which is learned to test that it does not depend on θ and ψ (covariate_law.h), cancels. Parameters
// are given in coordinates z (ParameterSpace).
class LearnedLikelihood {
 public:
  // Why the task has none, a clause: "its observations are images, …"; "" if it may have one.
  static std::string refused(const Task& task);

  // An untrained one whose scales are measured on simulated draws (Purpose::likelihood). Throws Error if a parameter or
  // a column has no density.
  LearnedLikelihood(const Task& task, const LikelihoodSettings& settings, std::uint64_t seed);
  // One whose scales are measured on these draws instead, those of stored sets.
  LearnedLikelihood(const Task& task, const LikelihoodSettings& settings, std::uint64_t seed,
                    const LikelihoodDraws& draws);

  const ParameterSpace& space() const { return space_; }
  // In the order of the density: covariates, then the others. The column of x at place j of it.
  const std::vector<ColumnScale>& columns() const { return columns_; }
  std::int64_t column(std::int64_t j) const { return order_[static_cast<std::size_t>(j)]; }
  // How many of them are covariates.
  std::int64_t covariates() const { return covariates_; }
  std::int64_t members() const { return static_cast<std::int64_t>(densities_.size()); }
  const ColumnDensity& density(std::int64_t member) const { return *densities_[static_cast<std::size_t>(member)]; }

  // Throws Error for observations x [N, m] whose columns cannot be those of simulations: numbers that are not whole in
  // a column of whole numbers, or not above 0 in one of positive numbers.
  void check(const torch::Tensor& x) const;
  // Observations x [N, m] -> standardized float32 in the order of the density, on the device of the networks.
  torch::Tensor standardized(const torch::Tensor& x) const;
  // By how much the log density of all observations x [N, m] in their own units exceeds that of the standardized ones,
  // of the columns other than covariates.
  double log_slope(const torch::Tensor& x) const;
  // The network's input for parameters z [S, d + p] and conditions [S, g], [1, g] or undefined -> [S, c].
  torch::Tensor context(const torch::Tensor& z, const torch::Tensor& given) const;

  // log p(z | c) of the learned prior -> [S] float64.
  torch::Tensor log_prior(const torch::Tensor& z, const torch::Tensor& given) const;
  // Samples z [S, d + p] of the learned prior for the set's conditions [1, g] or undefined.
  torch::Tensor prior_samples(std::int64_t count, const torch::Tensor& given, std::uint64_t key) const;
  // Σ_i log q(x_i | z, c) over standardized observations x [N, m] -> [S, 1 + members] float64, in standardized units:
  // first of the mean of all members' densities, then of each member alone. `keep_going` false throws Stopped. With
  // `contamination` each density is mixed with that share of independent Cauchy distributions of all columns.
  torch::Tensor log_likelihood(const torch::Tensor& z, const torch::Tensor& x, const torch::Tensor& given,
                               const std::function<bool()>& keep_going = {}, double contamination = 0) const;
  // log q of each observation by itself, by the mean of the members -> [S, N] float64.
  torch::Tensor log_densities(const torch::Tensor& z, const torch::Tensor& x, const torch::Tensor& given,
                              const std::function<bool()>& keep_going = {}) const;
  // One observation for each row of z and its conditions -> [S, m] float64 in original units.
  torch::Tensor simulate(const torch::Tensor& z, const torch::Tensor& given, std::uint64_t key) const;

  // Training: the mean negative log density of a member at its own observations, standardized x [B, m], with z [B, d +
  // p] and conditions [B, g]; and that of the prior's network at z. Differentiable.
  torch::Tensor loss(std::int64_t member, const torch::Tensor& x, const torch::Tensor& context) const;
  torch::Tensor prior_loss(const torch::Tensor& z, const torch::Tensor& given) const;
  // The curvature of a member's networks around x [B, m] and context (ColumnDensity::curvature).
  torch::Tensor curvature(std::int64_t member, const torch::Tensor& x, const torch::Tensor& context,
                          std::uint64_t key) const {
    return density(member).curvature(x, context, key);
  }
  // That loss for independent standard normal coordinates. The prior's network is left out where it is not better.
  static torch::Tensor normal_loss(const torch::Tensor& z);
  void use_prior_network(bool on) { prior_network_used_ = on; }
  bool prior_network_used() const { return prior_network_used_; }
  // α, in observations, by which posteriors are coarsened for the error of the networks (coarsening.h); infinite: not.
  double coarsening() const { return coarsening_; }
  void coarsen(double alpha) { coarsening_ = alpha; }

  // Parameters by name; live tensors.
  std::map<std::string, torch::Tensor> parameters() const;
  void to(const torch::Device& device);
  const torch::Device& device() const { return device_; }

  // Writes a safetensors file with further metadata; reads it for a task. Throws Error for a file of another task.
  void save(const std::filesystem::path& file, std::map<std::string, std::string> metadata) const;
  static LearnedLikelihood load(const std::filesystem::path& file, const Task& task);
  // What `save` stored as metadata.
  const std::map<std::string, std::string>& metadata() const { return metadata_; }

 private:
  LearnedLikelihood(LikelihoodSettings settings, ParameterSpace space, const TaskInfo& info,
                    std::vector<ColumnScale> columns, torch::Tensor given_location, torch::Tensor given_scale,
                    std::uint64_t seed);
  torch::Tensor known(const torch::Tensor& given, std::int64_t rows) const;

  LikelihoodSettings settings_;
  ParameterSpace space_;
  std::vector<ColumnScale> columns_;
  std::vector<std::int64_t> order_;
  std::int64_t covariates_ = 0;
  torch::Tensor given_location_, given_scale_;  // [g] float64; undefined if g = 0
  std::vector<std::shared_ptr<ColumnDensity>> densities_;
  std::shared_ptr<ColumnDensity> prior_;
  bool prior_network_used_ = false;
  double coarsening_ = INFINITY;
  torch::Device device_ = torch::kCPU;
  std::map<std::string, std::string> metadata_;
};

}  // namespace pairs
