#pragma once

#include <torch/types.h>

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "core/task.h"

namespace pairs {

// The effect of a finite pool of observations on ranks (docs/explanation/training.md, "A finite pool of observations").
// All sets drawn from a pool of M observations share the pool's deviation from the distribution it was sampled from:
// about sqrt(N / M) posterior sds at set size N, which neither a better estimator nor more sets can remove. Its spread
// is estimated by a bootstrap over the pool: each replicate moves every member's weight in all sets up or down at
// random, and the aggregates follow.
class PoolBootstrap {
 public:
  // The size of a move, in units of the pool's own sd. It is small because each set's resampling noise, moved as well,
  // would blur its rank.
  static constexpr double kMove = 0.3;
  PoolBootstrap(std::int64_t replicates, std::uint64_t seed);

  // Resets the bootstrap and prepares for observations of so many sets.
  void begin(std::int64_t sets);
  // Adds embeddings [M, l], the set [M] each belongs to, and the pool members they were made from. Memory does not
  // depend on how many are added: a set keeps sums for each stratum and replicate.
  void add(const torch::Tensor& embeddings, const torch::Tensor& set, const PoolDraws& draws);
  // The aggregates [sets, l] of the sets in each replicate -> [sets, replicates, l] float64. Weights move within
  // strata, so that the shares of the strata in a set stay; a stratum with a single member in a set carries no
  // information and is not moved.
  torch::Tensor aggregates(const torch::Tensor& plain) const;

 private:
  struct Sums {
    torch::Tensor moved;  // [replicates, l] sum of move times embedding
    torch::Tensor moves;  // [replicates] sum of moves
    torch::Tensor plain;  // [l] sum of embeddings
    std::int64_t count = 0;
  };
  // The moves, +kMove or -kMove, of members [M] in every replicate -> [replicates, M].
  torch::Tensor moves(const torch::Tensor& member) const;

  std::int64_t replicates_;
  std::uint64_t key_;
  std::int64_t sets_ = 0;
  std::map<std::pair<std::int64_t, std::int64_t>, Sums> sums_;  // by set and stratum
};

// The factor by which the location's spread over test pools grows if the estimator was trained on `trained` members of
// another pool of the same distribution, which deviates in the same way: sqrt(1 + pool / trained); 1 for an endless
// pool (0).
double both_pools(std::int64_t pool, std::int64_t trained);

// The sd over pools of the mean rank, from ranks [sets, replicates]: the part that the sets' ranks share over the
// replicates, for moves of 1. Each set's own resampling noise, which pools do not cause, is subtracted.
double pool_location_sd(const torch::Tensor& ranks);

// How many sets to resample to measure that sd at set size n: enough to make noise a few hundredths of it, if there are
// that many.
std::int64_t pool_sets(std::int64_t sets, std::int64_t n, std::int64_t pool);

}  // namespace pairs
