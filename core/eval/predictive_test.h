#pragma once

#include <torch/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace pairs {

// An observed set and sets that the model made, as they are compared. The first set is the observed one; all have the
// same number n of observations.
struct ComparedSets {
  torch::Tensor features;          // [sets, n, F] float64: numbers of every observation, in which it is compared
  std::vector<std::string> names;  // of the F features, for people
  torch::Tensor embedded;          // [sets, n, E] float64: leading components of every embedding (leading_components)
  torch::Tensor aggregates;        // [sets, l] float64: mean embeddings
  torch::Tensor explained;         // [sets, e] float64: what the posterior tells of each, its means; e may be 0
};

// One way in which the observed set is compared with simulated ones.
struct ComparedStatistic {
  std::string name;      // "x: spread"
  double z = 0;          // how far the observed set lies from the middle of all sets, in their sds to that side
  double p = 1;          // that of this statistic alone, on two sides
  double corrected = 1;  // the same, corrected for all statistics (Westfall and Young's max T)
  double below = 0;      // share of simulated sets that have less of it
};

// An observation that lies far from those of simulated sets.
struct FarObservation {
  std::int64_t row = 0;  // of the observed set, from 0
  double tail = 1;       // share of simulated observations that lie as far
  double corrected = 1;  // share of simulated sets in which any observation lies as far
};

struct PredictiveTest {
  double p = 1;           // that a set of the model differs as much from the others in any statistic
  std::int64_t sets = 0;  // simulated
  std::vector<ComparedStatistic> statistics;  // the least probable first
  std::vector<FarObservation> far;            // `corrected` at most kFarObservation, the farthest first
  std::vector<double> scores;                 // how far each observation of the observed set lies
};

// Observations are told of that lie as far in one of twenty sets of the model or fewer.
inline constexpr double kFarObservation = 0.05;
// With fewer simulated sets no test is made: its least p-value would say nothing.
inline constexpr std::int64_t kFewestPredictiveSets = 50;

// Whether an observed set is like the simulated ones. Every set is treated alike, so that where the observed one is
// exchangeable with them (simulated at the parameters of a draw of its exact posterior: Besag & Clifford 1989, Gosselin
// 2011) every rank of its largest deviation is equally likely, and p is uniform on 1 / sets, 2 / sets, …, 1. Statistics
// are compared with what the posterior's means of each set lead to expect, so that they tell what no parameter explains
// (as in Bayarri & Berger 2000) and hardly depend on the draw. Throws Error where shapes do not go together, there are
// too few sets, or a number is not finite.
PredictiveTest predictive_test(const ComparedSets& sets);

// The observations of the first set that lie far, as PredictiveTest::far tells them.
std::vector<FarObservation> far_observations(const ComparedSets& sets);

// The leading principal components of embeddings [.., l] of all sets together, scaled to a variance of one -> [.., E]
// float64, E at most `most`.
torch::Tensor leading_components(const torch::Tensor& embeddings, std::int64_t most);

}  // namespace pairs
