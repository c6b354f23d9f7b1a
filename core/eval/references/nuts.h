#pragma once

#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace pairs {

// The log density at a point, up to a constant; writes its gradient, of the point's length. Minus infinity or NaN where
// the density vanishes.
using LogDensity = std::function<double(std::span<const double> at, std::span<double> gradient)>;

struct NutsSettings {
  std::int64_t chains = 4;
  std::int64_t tuning = 1000, draws = 1000;  // steps of each chain: those for adaptation, and those that are kept
  double target_acceptance = 0.8;            // average over the trajectories' points after tuning
  std::int64_t most_doublings = 10;          // per trajectory
  std::uint64_t seed = 1;
};

// Chains after tuning.
struct NutsChains {
  torch::Tensor draws;              // [chains, draws, dimension] float64
  std::int64_t divergences = 0;     // trajectories on which the energy diverged, over all chains
  std::int64_t gradients = 0;       // evaluations of the density with its gradient, including tuning
  std::vector<double> acceptance;   // [chain]: mean over the trajectories' points
  std::vector<double> step_size{};  // [chain]
};

// Multinomial No-U-Turn sampler (Hoffman and Gelman 2014; Betancourt 2017) as in PyMC and Stan: trajectories are
// doubled until they turn back, also between the halves; the step size is tuned by dual averaging, and a diagonal mass
// matrix over windows of growing length. Chains start at `center` plus a uniform number in (−1, 1) in each coordinate,
// as in PyMC. A pure function of density, center and settings. Throws Error if no point near the center has a density
// or settings are out of range, Stopped once `keep_going` returns false.
NutsChains sample_nuts(const LogDensity& density, const std::vector<double>& center, const NutsSettings& settings,
                       const std::function<bool()>& keep_going = {});

}  // namespace pairs
