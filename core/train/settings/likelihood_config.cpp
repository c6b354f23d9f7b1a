#include "core/train/settings/likelihood_config.h"

namespace pairs {

std::vector<Field> fields(LikelihoodConfig& c) {
  return {
      Field{"likelihood.enabled", &c.enabled,
            "After stage 3, learn the likelihood of one observation if the task may have one"}
          .rarely_shown(),
      {"likelihood.seed", &c.seed, "Seed of the networks and of the simulated observations, 0 = the run's", 0, 1e15},
      {"likelihood.steps", &c.steps, "Steps of the optimizer, at most 60 passes of a fixed number of observations", 1,
       1e9},
      {"likelihood.batch", &c.batch, "Observations a step, shared by the networks where all are new", 64, 1e7},
      {"likelihood.simulations", &c.simulations, "Observations in all, used in every pass; 0 = new at each step", 0,
       1e9},
      {"likelihood.rate", &c.rate, "Initial learning rate", 1e-7, 1},
      {"likelihood.weight_decay", &c.weight_decay, "Decoupled weight decay", 0, 10},
      {"likelihood.curvature", &c.curvature,
       "Weight of the networks' curvature in the loss of 100,000 observations, if their number is fixed", 0, 1e3},
      {"likelihood.compared", &c.compared,
       "Held-out sets a size on which the refined posterior is compared with the run's own, half as many above "
       "N = 100, 4 at least; 0 = the run's own is shown first",
       0, 1e5},
      {"likelihood.members", &c.networks.members,
       "Networks: each learns from new observations of its own, or from all of a fixed number", 1, 16},
      {"likelihood.components", &c.networks.density.components, "Components of each column's mixture", 1, 256},
      {"likelihood.hidden", &c.networks.density.hidden, "Width of each column's network", 1, 4096},
      {"likelihood.layers", &c.networks.density.layers, "Hidden layers of each column's network", 1, 16},
  };
}

}  // namespace pairs
