#pragma once

#include <cstdint>
#include <vector>

#include "core/base/fields/fields.h"
#include "core/likelihood/likelihood_settings.h"

namespace pairs {

// The stage that learns the likelihood of one observation (core/train/stages/likelihood_stage.h).
struct LikelihoodConfig {
  bool enabled = false;          // a run trains it after stage 3, if its task may have one
  std::int64_t seed = 0;         // of the networks and of the simulated observations; 0: the run's
  std::int64_t steps = 8000;     // of the optimizer
  std::int64_t batch = 4096;     // observations a step, shared by the members where all are new
  std::int64_t simulations = 0;  // observations in all, used again in every pass; 0: new ones at each step
  double rate = 2e-3;            // initial learning rate
  double weight_decay = 0;       // decoupled
  // Weight of the networks' curvature in the loss of 100,000 observations, where their number is fixed; of n
  // observations it is as much larger as these are fewer, since a prior counts once for all of them.
  double curvature = 0.03;
  std::int64_t compared = 32;  // held-out sets a size that choose the posterior shown first (source_choice.h); 0: none
  LikelihoodSettings networks = {};
};

// The settings as fields bound to `config`, which must outlive them.
std::vector<Field> fields(LikelihoodConfig& config);

}  // namespace pairs
