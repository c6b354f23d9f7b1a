#pragma once

#include <torch/types.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/likelihood/learned_likelihood.h"

namespace pairs {

// The name of a posterior that a learned likelihood refined, in scores, tables and legends.
inline constexpr const char* kRefined = "refined";
// RefineOptions::sequential_pairs of a single set, minutes on two cores, and of each of many sets.
inline constexpr double kPairsOfASet = 6e8, kPairsOfManySets = 6e7;

// How a refined posterior is sampled.
struct RefineOptions {
  std::int64_t draws = 2000;              // of the final proposal
  std::uint64_t seed = 1;                 // of all random numbers
  torch::Tensor start = {};               // samples of θ [S, d] from another posterior to begin with; undefined: none
  std::function<bool()> keep_going = {};  // false throws Stopped
  // How many pairs of parameters and observations sequential Monte Carlo may evaluate where importance sampling does
  // not serve; 0: it is not tried.
  double sequential_pairs = 0;
  // For a learned likelihood: the probability that an observation is anything at all, whatever the parameters, by which
  // a few foreign ones cannot decide the posterior (LearnedLikelihood::log_likelihood).
  double contamination = 0;
  // Under another prior: the log of its density over that of the training prior at θ [S, d] -> [S]; empty: the same.
  std::function<torch::Tensor(const torch::Tensor& theta)> log_ratio = {};
};

// The posterior of (θ, ψ) by a learned likelihood: weighted samples. Values are float64 on the CPU.
struct RefinedPosterior {
  std::shared_ptr<const ParameterSpace> space = {};  // whose coordinates are meant below
  // [S, d], [S, p]; of a periodic parameter the values next to its circular mean, which may lie beyond its range.
  torch::Tensor theta, psi;
  torch::Tensor weight;     // [S], sum 1
  torch::Tensor mean, sd;   // of θ [d]
  double effective = 0;     // effective number of samples
  double shape = 0;         // k̂ of the weights (pareto_smoothing.h); NaN if `sequential`
  bool sequential = false;  // sampled by sequential Monte Carlo (sequential_sampler.h), with equal weights
  // The largest shift of a mean of θ, in standard deviations: between two halves of the samples, and between the
  // members' own posteriors.
  double halves = 0, members = 0;
  // The log density that θ was drawn from, in coordinates z [S, d] -> [S]; empty if it has no closed form.
  std::function<torch::Tensor(const torch::Tensor& z)> drawn_from = {};
  // The part of the proposal that each draw most likely comes from [S], and the covariances of these parts in
  // coordinates z [d, d].
  torch::Tensor part;
  std::vector<torch::Tensor> spreads = {};
  // The evidence, log p(X): its sampling error, and the range of the members' own. Of a learned likelihood in the units
  // of x, given covariates and conditions; values of a lattice have probabilities.
  double log_evidence = NAN, log_evidence_se = NAN, log_evidence_range = 0;
  double log_normalizer = NAN;  // of the posterior that was sampled, in the units of UnnormalizedPosterior
  // Without nuisances: the log density itself, in coordinates z [S, d] -> [S]. A learned likelihood must outlive it.
  std::function<torch::Tensor(const torch::Tensor& z)> log_density = {};
  // Where the members' posteriors were apart, and the posterior is their mean: the log evidence of each [members].
  torch::Tensor evidences;
  std::int64_t observations = 0;  // N, for a learned likelihood
  double power = 1;               // of the likelihood (coarsening.h)
  std::int64_t independent = 0;   // the largest N at which observations were tested to be independent; 0: unknown
  std::string refused;            // why it must not be used, a clause; "" if it may be
};

// The bars below which a refined posterior is refused. Beyond kMostMembers standard deviations between the members' own
// posteriors it is the mean of these.
inline constexpr double kMostShape = 0.7, kLeastEffective = 100, kMostHalves = 0.25, kMostMembers = 0.5, kMostApart = 3;

// A posterior to be sampled, in coordinates z of its parameters (ParameterSpace).
struct UnnormalizedPosterior {
  std::function<torch::Tensor(const torch::Tensor& z)> log_prior;  // z [S, d + p] -> [S] float64
  // log p(X | z) -> [S, 1 + members] float64: the likelihood, then that of each of its members by itself, if any.
  std::function<torch::Tensor(const torch::Tensor& z)> log_likelihood;
  std::function<torch::Tensor(std::int64_t count, std::uint64_t key)> prior_samples;  // -> z [count, d + p]
  const ParameterSpace& space;
  std::int64_t targets = 1;   // d, of the d + p parameters
  bool normal_prior = false;  // log_prior is that of independent standard normal coordinates
  // A factor of the posterior, log ratio of another prior's density at z [S, d + p] -> [S], which samples of the prior
  // do not have; empty: none.
  std::function<torch::Tensor(const torch::Tensor& z)> log_ratio = {};
  double power = 1;  // ζ of the likelihood; the evidence is that without it
  std::int64_t observations = 1;
};

// Samples p(θ, ψ | X) ∝ p(θ, ψ) p(X | θ, ψ)^ζ. A proposal, a mixture of t distributions with 5 degrees of freedom, is
// fitted in a few rounds to weights that are tempered to a number of effective samples (Cornuet et al. 2012); the final
// one, of which a tenth are samples of the prior, is weighted by importance, and the weights are smoothed. Where few of
// the final samples are effective, others are drawn from larger mixtures. Of many parameters the first proposal is
// fitted to samples by sequential Monte Carlo, which lose no mode on the way; and where no proposal serves, two such
// samplings are the answer if they agree. Throws Stopped; Error if the likelihood is
// nowhere a number.
RefinedPosterior refine(const UnnormalizedPosterior& posterior, const RefineOptions& options);
// The posterior of the observations x [N, ...] with conditions [1, g] or undefined, by a learned likelihood:
// p(θ, ψ | c) (Π q(x_i | θ, ψ, c))^ζ, times the ratio of priors in the options, with ζ by the likelihood's coarsening.
RefinedPosterior refine(const LearnedLikelihood& likelihood, std::int64_t targets, const torch::Tensor& x,
                        const torch::Tensor& given, const RefineOptions& options);

// The margin of θ as a density in original units, from the weighted samples, in the coordinates of the parameter space:
// the density that they were drawn from times a kernel regression of their weights, which is nearly constant where the
// proposal fits; kernels are as wide as the parts of the proposal allow. Where that density has no closed form, a
// kernel density estimate, shrunk so that mean and covariance are those of the samples (West 1993). Without nuisances,
// and at few values, the density is that of the likelihood itself.
class RefinedDensity {
 public:
  explicit RefinedDensity(const RefinedPosterior& posterior);
  // theta [S, d] -> [S] float64.
  torch::Tensor log_density(const torch::Tensor& theta) const;

 private:
  torch::Tensor in_coordinates(const torch::Tensor& z) const;

  ParameterSpace space_;
  std::function<torch::Tensor(const torch::Tensor&z)> drawn_from_, exact_;
  std::int64_t observations_;
  // Draws with kernels of one shape.
  struct Kernels {
    torch::Tensor centers, whiten, log_weight;  // whitened [S, d], [d, d], [S]
    double log_norm;                            // of a kernel
  };
  std::vector<Kernels> groups_;
  double log_norm_ = 0;
};

// Unweighted samples: resampled by their weights -> [count, d] of θ.
torch::Tensor resampled(const RefinedPosterior& posterior, std::int64_t count, std::uint64_t seed);

}  // namespace pairs
