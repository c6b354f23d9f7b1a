#pragma once

#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/likelihood/learned_likelihood.h"
#include "core/likelihood/refined_posterior.h"
#include "core/task.h"

namespace pairs {

// What one observation of a set is to the posterior by all others.
struct SingleObservation {
  double log_density = 0;  // log q(x_i | the others), in standardized units
  double p = 1;            // probability that an observation of the model has so low a density
  // How far it moves the mean of θ, the largest over the targets, in standard deviations; NaN of one that the posterior
  // is without, or cannot be without.
  double influence = 0;
  double shape = 0;  // k̂ of the weights that leave it out; above 0.7 density and influence are rough
};

// Which observations of a set the model does not make.
struct SingleObservations {
  std::vector<SingleObservation> all;  // [N]
  std::vector<std::int64_t> foreign;   // ascending indices; in a share kFalse of sets at most, any is a false one
  std::int64_t simulated = 0;          // observations that each was compared with
  bool by_likelihood = false;          // these were drawn from the learned likelihood, not by the simulator
  RefinedPosterior without = {};       // the refined posterior without the foreign ones, if there are any;
  std::string not_without = {};        // or why there is none, a clause

  // The p-value of the whole set: min over k of N times the k-th smallest p, over k (Simes 1986).
  double p() const;
  static constexpr double kFalse = 0.05;
};

struct SingleOptions {
  std::uint64_t seed = 1;
  std::int64_t draws = 128;               // of the posterior, at which densities are evaluated
  std::int64_t simulated = 20000;         // observations to compare with, more for large sets
  torch::Tensor start = {};               // RefineOptions::start
  std::function<bool()> keep_going = {};  // false throws Stopped
};

// Compares each observation's density under the posterior by the others (leave-one-out by importance weights, Vehtari,
// Gelman and Gabry 2017) with those of observations simulated at draws of the posterior, or drawn from the likelihood
// where sets are stored. The p-values are exact if the posterior is, however rough the likelihood. Observations are
// foreign by the rule of Holm; while there are any, the posterior without them judges all again.
// The first posterior is robust (RefineOptions::contamination), so that foreign observations do not hide each other. x:
// the set's observations with conditions [1, g] or undefined. Throws Error, a clause, if that posterior is refused and
// finds none.
SingleObservations single_observations(const LearnedLikelihood& likelihood, const Task& task, const Observations& x,
                                       const torch::Tensor& given, const SingleOptions& options);

// The indices of the p-values that reject their hypotheses, ascending, with at most this probability of any false
// rejection (Holm 1979).
std::vector<std::int64_t> rejected_by_holm(const std::vector<double>& p, double probability);

}  // namespace pairs
