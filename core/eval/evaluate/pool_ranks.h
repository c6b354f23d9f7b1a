#pragma once

#include <torch/types.h>

#include <cstdint>
#include <vector>

#include "core/eval/evaluate/evaluate.h"
#include "core/eval/evaluate/pool.h"

namespace pairs {

// The bootstrap over a task's pool at one set size: ranks of the first sets in every replicate.
class PoolRanks {
 public:
  static constexpr std::int64_t kDraws = 10;  // posterior samples per set and replicate
  static constexpr std::int64_t kMostSets = 32;

  // The row's n, sets and samples must be set.
  PoolRanks(Estimator& estimator, const EvaluationOptions& options, const EvaluationRow& row);

  std::int64_t pool() const { return pool_; }  // size of the pool; 0: the task has none
  // Whether sets from `first` on are resampled; if so, collects their observations from the stream.
  bool watch(std::int64_t first, std::int64_t count, StreamOptions& stream);
  // Ranks the truths of the collected sets, which have the aggregates [B, l].
  void rank(std::int64_t first, const torch::Tensor& aggregates, const Latents& latents);
  // Adds the results to the row, which must have its rank tests.
  void finish(EvaluationRow& row) const;

 private:
  Estimator& estimator_;
  const EvaluationOptions& options_;
  std::int64_t n_, pool_ = 0, trained_ = 0, sets_ = 0;
  PoolBootstrap bootstrap_;
  std::vector<std::vector<torch::Tensor>> ranks_;  // [target], parts [sets, replicates]
};

}  // namespace pairs
