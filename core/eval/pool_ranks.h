#pragma once

#include <torch/types.h>

#include <cstdint>
#include <vector>

#include "core/eval/evaluate.h"
#include "core/eval/pool.h"

namespace pairs {

// The bootstrap over the pool of a task at one set size: the first sets' ranks in every replicate.
class PoolRanks {
 public:
  static constexpr std::int64_t kDraws = 10;  // posterior draws a set and replicate
  static constexpr std::int64_t kMostSets = 32;

  // For a row whose n, sets and samples are set.
  PoolRanks(Estimator& estimator, const EvaluationOptions& options, const EvaluationRow& row);

  std::int64_t pool() const { return pool_; }  // its size; 0: the task has none
  // Whether sets from `first` on are resampled; if so, watches them as they stream by.
  bool watch(std::int64_t first, std::int64_t count, StreamOptions& stream);
  // Ranks the truths of the sets that were watched, whose aggregates [B, l] these are.
  void rank(std::int64_t first, const torch::Tensor& aggregates, const Latents& latents);
  // Adds what was found to the row, whose rank tests are there.
  void finish(EvaluationRow& row) const;

 private:
  Estimator& estimator_;
  const EvaluationOptions& options_;
  std::int64_t n_, pool_ = 0, trained_ = 0, sets_ = 0;
  PoolBootstrap bootstrap_;
  std::vector<std::vector<torch::Tensor>> ranks_;  // [target], parts [sets, replicates]
};

}  // namespace pairs
