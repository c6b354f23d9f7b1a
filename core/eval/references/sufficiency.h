#pragma once

#include <torch/types.h>

#include <string>
#include <vector>

#include "core/estimator.h"
#include "core/sets/observations.h"

namespace pairs {

// The sample on which an embedder is compared with the theorem: the same observations for every run of a task, in
// pairs, each a set of two, and their sufficient statistics (core/sufficient_statistics.h). Sets with a statistic
// outside its central 99 % are left out: products of heavy-tailed observations have no variance, and a few of them
// would dominate.
struct TheoremSample {
  Observations x;            // M observations, float32 on the CPU; undefined if the task knows no sufficient statistics
  torch::Tensor statistics;  // [M, d] float64
  std::vector<std::string> names;

  bool known() const { return x.defined(); }
};
// A pure function of the task and the embedding's size; the sample grows for large embeddings. Throws Error naming a
// statistic that does not vary.
TheoremSample theorem_sample(const Task& task, std::int64_t embedding_size);

// Throws the Error that theorem_sample would throw for the task. Simulates only few sets if every statistic varies
// among them.
void check_sufficient_statistics(const Task& task);

// t(x) of the sample -> [M, l] float32 on the CPU. In evaluation mode.
torch::Tensor embeddings_of(Estimator& estimator, const TheoremSample& sample);

// 1 − R² of each statistic under the best affine map from the embeddings (core/eval/references/affine_map.h): 0 if the
// embedder is what the theorem predicts for training on pairs. NaN if an embedding is not finite.
std::vector<double> unexplained_statistics(Estimator& estimator, const TheoremSample& sample);

// The largest of these values, or NaN if any is NaN: an affine map must yield all statistics.
double worst_of(const std::vector<double>& unexplained);

}  // namespace pairs
