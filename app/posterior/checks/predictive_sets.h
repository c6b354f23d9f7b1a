#pragma once

#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/kinds/observation_room.h"
#include "app/posterior/answer/posterior_answer.h"
#include "core/eval/calibration/predictive_test.h"
#include "core/nuisance_posterior.h"

namespace pairs {

// The source of a simulated set's nuisance parameters that a run does not infer.
enum class PsiSource {
  none,       // there are none, or the run infers all
  posterior,  // p(ψ | θ, X), which the task knows
  prior,      // from prior sets with the nearest θ: p(ψ | θ), a new ψ for each set
  with_theta  // as prior, with their own θ: for tasks whose θ follows from ψ
};

struct PredictiveOptions {
  // A cheap test: it simulates kFirstSets sets first and ends there if the set clearly fits, compares only as many
  // observations as kUsualFlops allow, and does not search for outliers.
  bool brief = false;
  std::int64_t sets = 200;                                              // number of simulated sets
  std::uint64_t seed = 1;                                               // of the posterior sample and the sets
  std::function<bool()> keep_going = {};                                // called between parts; false throws Stopped
  std::function<void(std::int64_t done, std::int64_t sets)> step = {};  // receives the number of finished sets
};

// The number of sets that a brief test simulates first, and the p-value above which it ends there.
inline constexpr std::int64_t kFirstSets = 59;
inline constexpr double kClearlyLike = 0.2;
// The number of simulated sets of a brief test that continues.
inline constexpr std::int64_t kBriefSets = 199;

// The first `compared` observations of the observed set, and as many of each simulated set.
struct PredictiveSets {
  ComparedSets sets;
  std::int64_t compared = 0;
  PsiSource psi = PsiSource::none;
  bool by_likelihood = false;  // simulated by the run's learned likelihood
};

// Why a run has no predictive test, a clause: "its sets are read from files, and none can be simulated, for the run has
// no learned likelihood"; "" if it has one. That of the task alone: "" also for stored sets.
std::string no_predictive_test(const LoadedRun& run);
std::string no_predictive_test(const Task& task);

// Simulates sets at one sample of the run's posterior of `set`: by the task's simulator, or by the learned likelihood
// where sets are stored. x: its observations, including any that were left out;
// compares as many as memory and time allow. Also takes p(ψ | θ, X), or null. `theta` [1, d]: the posterior sample;
// undefined: one of the run's. Throws Error as no_predictive_test states, for fewer sets than kFewestPredictiveSets,
// and Stopped.
PredictiveSets predictive_sets(const AskedRun& run, const AskedSet& set, const Observations& x,
                               const NuisancePosterior* nuisances, const PredictiveOptions& options,
                               const torch::Tensor& theta = {});

// How many of n observations are compared with this number of simulated sets.
std::int64_t compared_observations(const AskedRun& run, std::int64_t n, std::int64_t sets, bool brief = false);

}  // namespace pairs
