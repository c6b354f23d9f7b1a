#pragma once

#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <memory>

#include "core/likelihood/likelihood_draws.h"
#include "core/train/settings/likelihood_config.h"

namespace pairs {

// The observations that a likelihood is learned from. Those of a step are all new; or they are chosen among a fixed
// number, which each pass visits in another order: simulated once, or those of stored sets.
class LikelihoodBatches {
 public:
  // Throws a usage Error if the settings leave too few observations.
  LikelihoodBatches(std::shared_ptr<const Task> task, const LikelihoodConfig& config, const torch::Device& device);

  // Simulates or reads a fixed number of observations, and those for validation, which stay in memory. `stop` is called
  // between parts.
  void prepare(const std::function<bool()>& stop);
  // The sets of a step of new observations.
  std::int64_t sets() const { return sets_; }
  // Whether the number of observations is fixed. Each network then learns from all of them, else from sets of its own.
  bool fixed() const { return stored_ || config_.simulations > 0; }
  // Steps to take of those that are wanted: a fixed number of observations is seen a limited number of times.
  std::int64_t steps() const;
  // What `rows` fixed observations allow: the steps, and the observations of each.
  static std::int64_t fixed_steps(const LikelihoodConfig& config, std::int64_t rows);
  static std::int64_t fixed_batch(const LikelihoodConfig& config, std::int64_t rows);
  const LikelihoodDraws& validation() const { return validation_; }
  // The fixed number of observations to learn from; empty if there is none.
  const LikelihoodDraws& all() const { return pool_; }
  LikelihoodDraws training(std::int64_t step);
  // The weight of the networks' curvature in the mean loss of an observation: 0 for new observations.
  double curvature() const;
  // The first of a step's observations, around which the curvature is measured.
  static std::int64_t curved(std::int64_t observations);
  // Observations that `steps` steps see.
  std::int64_t simulations(std::int64_t steps) const;

 private:
  LikelihoodDraws draw(std::int64_t first, std::int64_t count) const;
  void shuffle(std::int64_t pass);

  std::shared_ptr<const Task> task_;
  LikelihoodConfig config_;
  torch::Device device_;
  bool stored_;
  std::int64_t sets_, held_out_ = 0, pool_sets_ = 0, pass_ = -1;
  LikelihoodDraws pool_, validation_;
  torch::Tensor rows_, order_;  // of the observations, and of their sets, in this pass
};

}  // namespace pairs
