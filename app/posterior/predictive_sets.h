#pragma once

#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/kinds/observation_room.h"
#include "app/posterior/posterior_answer.h"
#include "core/eval/predictive_test.h"
#include "core/nuisance_posterior.h"

namespace pairs {

// Where the nuisance parameters of simulated sets come from that a run does not infer.
enum class PsiSource {
  none,       // there are none, or the run infers all
  posterior,  // p(ψ | θ, X), which the task knows
  prior,      // sets of the prior whose θ is nearest: p(ψ | θ), another ψ for each set
  with_theta  // the same, with their own θ: of tasks whose θ follows from ψ
};

struct PredictiveOptions {
  // A test that costs little: it looks at kFirstSets sets first and ends where these leave no doubt that the set fits,
  // it compares as many observations as kUsualFlops allow, and it seeks no observations that lie far.
  bool brief = false;
  std::int64_t sets = 200;                                              // simulated
  std::uint64_t seed = 1;                                               // of the draw of the posterior and of the sets
  std::function<bool()> keep_going = {};                                // asked between pieces; false throws Stopped
  std::function<void(std::int64_t done, std::int64_t sets)> step = {};  // hears how many sets are done
};

// Simulated sets that a brief test looks at first, and the p-value above which it ends there.
inline constexpr std::int64_t kFirstSets = 59;
inline constexpr double kClearlyLike = 0.2;
// Simulated sets of a brief test that goes on.
inline constexpr std::int64_t kBriefSets = 199;

// The first `compared` of the observed set's observations beside as many of simulated sets.
struct PredictiveSets {
  ComparedSets sets;
  std::int64_t compared = 0;
  PsiSource psi = PsiSource::none;
};

// Why the task has no predictive test, a clause: "its sets are read from files, and none can be simulated"; "" where it
// has one.
std::string no_predictive_test(const Task& task);

// Sets that the task makes at one draw of the run's posterior of `set`. x: its observations, and those that may have
// been left out of it, of which those are compared that memory and time allow; p(ψ | θ, X), or null. `theta` [1, d]:
// the draw of the posterior, undefined: the run's own. Throws Error as no_predictive_test says, for fewer sets than kFewestPredictiveSets, and Stopped.
PredictiveSets predictive_sets(const AskedRun& run, const AskedSet& set, const Observations& x,
                               const NuisancePosterior* nuisances, const PredictiveOptions& options,
                               const torch::Tensor& theta = {});

// How many of n observations are compared with so many simulated sets.
std::int64_t compared_observations(const AskedRun& run, std::int64_t n, std::int64_t sets, bool brief = false);

}  // namespace pairs
