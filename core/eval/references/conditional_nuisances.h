#pragma once

#include <torch/types.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/task.h"

namespace pairs {

// A task that samples nuisances given the value of its one target, from p(ψ | θ).
class DrawsNuisances {
 public:
  virtual ~DrawsNuisances() = default;
  // Nuisances of the sets with these indices if their target were theta -> [B, p] float64 on the CPU. Row k is a pure
  // function of theta, seed, purpose and indices[k].
  virtual torch::Tensor nuisances_at(double theta, std::uint64_t seed, Purpose purpose,
                                     std::span<const std::int64_t> indices) const = 0;
};

// Samples ψ from p(ψ | θ) for toys, for a task with one target that samples θ and ψ jointly
// (docs/explanation/inference.md, "Frequentist answers"). Whether ψ depends on θ is tested on 16,384 joint samples, for
// location, spread, shape and correlations of ψ over 16 bins of θ, at a level of 1e-6. If it does, ψ comes from the
// task itself (DrawsNuisances), or from one of the nearest in θ of 1,048,576 joint samples, shifted and scaled by
// regressions of location and spread on θ.
class ConditionalNuisances {
 public:
  // `given`: the conditions of every toy. Throws Error if ψ also depends on the conditions and the task does not sample
  // nuisances itself.
  ConditionalNuisances(const Task& task, std::uint64_t seed, std::span<const double> given = {});

  // Whether ψ depends on θ; if not, the ψ of any joint sample can be used at every θ. how(): "the spread of ψ₁"; "" if
  // it does not.
  bool depends() const { return !how_.empty(); }
  const std::string& how() const { return how_; }

  // [B, p] float64. Throws Error if too few joint samples lie near theta, or if ψ changes too fast there.
  torch::Tensor at(double theta, std::span<const std::int64_t> indices) const;

 private:
  struct Neighbors;
  struct Fit;
  void keep_joint_draws();
  Neighbors neighbors(double theta, std::int64_t count) const;
  Fit fit(const Neighbors& near, double theta, std::int64_t component) const;
  Neighbors suitable(double theta, std::vector<Fit>& fits) const;

  const Task& task_;
  const DrawsNuisances* own_;
  std::uint64_t seed_;
  std::string how_;
  std::vector<double> theta_;                // of joint samples, ascending
  std::vector<std::vector<double>> psi_;     // [component], in the order of theta_
  std::vector<double> low_, high_, spread_;  // of each component: the bounds and the mean distance from the mean
  std::vector<bool> discrete_;               // few different values: neighbors are used unchanged
};

}  // namespace pairs
