#pragma once

#include <torch/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace pairs {

// An observed set and sets simulated by the model. The first set is the observed one; all have the same number n of
// observations.
struct ComparedSets {
  torch::Tensor features;          // [sets, n, F] float64: the numbers of every observation that are compared
  std::vector<std::string> names;  // readable names of the F features
  torch::Tensor embedded;          // [sets, n, E] float64: leading components of every embedding (leading_components)
  torch::Tensor aggregates;        // [sets, l] float64: mean embeddings
  torch::Tensor explained;         // [sets, e] float64: each set's posterior means, which are accounted for; e may be 0
};

// One statistic by which the observed set is compared with simulated ones.
struct ComparedStatistic {
  std::string name;      // "x: spread"
  double z = 0;          // distance of the observed set from the median of all sets, in sds of that side
  double p = 1;          // two-sided p-value of this statistic alone
  double corrected = 1;  // p-value corrected for all statistics (Westfall and Young's max T)
  double below = 0;      // share of simulated sets with a smaller value
};

// An observation that lies far from those of simulated sets.
struct FarObservation {
  std::int64_t row = 0;  // index in the observed set, from 0
  double tail = 1;       // share of simulated observations that lie as far out
  double corrected = 1;  // share of simulated sets in which any observation lies as far out
};

struct PredictiveTest {
  double p = 1;           // probability that a simulated set differs as much from the others in any statistic
  std::int64_t sets = 0;  // simulated sets
  std::vector<ComparedStatistic> statistics;  // the least probable first
  std::vector<FarObservation> far;            // `corrected` at most kFarObservation, the farthest first
  std::vector<double> scores;                 // how far out each observation of the observed set lies
};

// Reports observations that lie as far out as any in at most one of twenty simulated sets.
inline constexpr double kFarObservation = 0.05;
// The fewest simulated sets for a test: with fewer, even its smallest p-value is not significant.
inline constexpr std::int64_t kFewestPredictiveSets = 50;

// Tests whether an observed set resembles the simulated ones. All sets are treated alike. If the observed one is
// exchangeable with them (simulated at the parameters of a sample from its exact posterior: Besag & Clifford 1989,
// Gosselin 2011), every rank of its largest deviation is equally likely, and p is uniform on 1 / sets, 2 / sets, …, 1.
// Statistics are compared with their expectation given each set's posterior means, so that they detect what no
// parameter explains (as in Bayarri & Berger 2000) and hardly depend on the sample. Throws Error if shapes do not
// match, there are too few sets, or a number is not finite.
PredictiveTest predictive_test(const ComparedSets& sets);

// The outlying observations of the first set, as in PredictiveTest::far.
std::vector<FarObservation> far_observations(const ComparedSets& sets);

// The leading principal components of the embeddings [.., l] of all sets together, scaled to unit variance -> [.., E]
// float64, E at most `most`.
torch::Tensor leading_components(const torch::Tensor& embeddings, std::int64_t most);

}  // namespace pairs
