#pragma once

#include <torch/types.h>

#include <string>
#include <vector>

#include "core/estimator.h"
#include "core/sets/observations.h"

namespace pairs {

// What an embedder is looked at with: the same observations for every run of a task, in pairs, each pair one set of
// two, and their sufficient statistics (core/sufficient_statistics.h). Of the sets that are drawn those are left out in
// which a statistic lies outside its central 99 %: products of observations with heavy tails have no variance, and a
// few of them would decide everything.
struct TheoremSample {
  Observations x;            // M of them, float32 on the CPU; undefined where the task knows no such statistics
  torch::Tensor statistics;  // [M, d] float64
  std::vector<std::string> names;

  bool known() const { return x.defined(); }
};
// A pure function of the task and the embedding's size, with which it grows where that is large. Throws Error naming a
// statistic that does not vary.
TheoremSample theorem_sample(const Task& task, std::int64_t embedding_size);

// Throws the Error that theorem_sample would throw of the task. Draws few sets where every statistic varies among them.
void check_sufficient_statistics(const Task& task);

// t(x) of the sample -> [M, l] float32 on the CPU. In evaluation mode.
torch::Tensor embeddings_of(Estimator& estimator, const TheoremSample& sample);

// 1 − R² of each statistic under the best affine map from the embeddings (core/eval/affine_map.h): 0 where the
// embedder is what the theorem says that training on pairs leads to. NaN where an embedding is not finite.
std::vector<double> unexplained_statistics(Estimator& estimator, const TheoremSample& sample);

// The largest of them, NaN before all others: an affine map must give all statistics.
double worst_of(const std::vector<double>& unexplained);

}  // namespace pairs
