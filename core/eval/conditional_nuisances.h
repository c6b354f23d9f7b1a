#pragma once

#include <torch/types.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/task.h"

namespace pairs {

// A task that draws nuisances at a value of its one target: of p(ψ | θ).
class DrawsNuisances {
 public:
  virtual ~DrawsNuisances() = default;
  // Nuisances of the sets with these indices, were their target theta -> [B, p] float64 on the CPU. Row k is a pure
  // function of theta, seed, purpose and indices[k].
  virtual torch::Tensor nuisances_at(double theta, std::uint64_t seed, Purpose purpose,
                                     std::span<const std::int64_t> indices) const = 0;
};

// Draws ψ of p(ψ | θ) for toys, of a task with one target that draws θ and ψ together (docs/method.md, "Frequentist
// answers"). Whether ψ depends on θ is tested on 16,384 joint draws, for location, spread, shape and correlations of ψ
// over 16 bins of θ, at a level of 1e-6. Where it does, a draw is the task's own (DrawsNuisances), or the ψ of one of
// the joint draws nearest to θ, of 1,048,576, moved and stretched by regressions of location and spread on θ.
class ConditionalNuisances {
 public:
  // `given`: what is given of every toy. Throws Error where ψ depends on what is given, too, of a task that does not draw
  // its own nuisances.
  ConditionalNuisances(const Task& task, std::uint64_t seed, std::span<const double> given = {});

  // Whether ψ depends on θ; if not, the ψ of any joint draw serves at every θ. How: "the spread of ψ₁"; "" if not.
  bool depends() const { return !how_.empty(); }
  const std::string& how() const { return how_; }

  // [B, p] float64. Throws Error where too few joint draws lie near theta, or ψ changes too fast there.
  torch::Tensor at(double theta, std::span<const std::int64_t> indices) const;

 private:
  struct Neighbours;
  struct Fit;
  void keep_joint_draws();
  Neighbours neighbours(double theta, std::int64_t count) const;
  Fit fit(const Neighbours& near, double theta, std::int64_t component) const;
  Neighbours suitable(double theta, std::vector<Fit>& fits) const;

  const Task& task_;
  const DrawsNuisances* own_;
  std::uint64_t seed_;
  std::string how_;
  std::vector<double> theta_;             // of joint draws, ascending
  std::vector<std::vector<double>> psi_;  // [component], in the order of theta_
  std::vector<double> low_, high_, spread_;  // of each component: the ends and the mean distance from the mean
  std::vector<bool> discrete_;            // few different values: neighbours are used as they are
};

}  // namespace pairs
