#pragma once

#include <torch/types.h>

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "core/task.h"

namespace pairs {

// What a finite pool of observations does to ranks (docs/method.md, "A finite pool of observations"). Every set drawn
// from a pool of M observations shares the pool's deviation from the world it was drawn from: about sqrt(N / M)
// posterior sds at set size N, which neither an estimator nor more sets can remove. Its spread is found by a bootstrap
// over the pool: in each replicate every member's weight in all sets is moved up or down at random, and the aggregates
// follow.
class PoolBootstrap {
 public:
  // The size of a move, in units of the pool's own sd: small, since each set's resampling noise, moved as well, would
  // blur its rank.
  static constexpr double kMove = 0.3;
  PoolBootstrap(std::int64_t replicates, std::uint64_t seed);

  // Forgets what was added and expects observations of so many sets.
  void begin(std::int64_t sets);
  // Embeddings [M, l], the set [M] each belongs to, and what they were made from. Memory does not depend on how many
  // are added: a set keeps sums of each stratum and replicate.
  void add(const torch::Tensor& embeddings, const torch::Tensor& set, const PoolDraws& draws);
  // The aggregates [sets, l] of the sets in each replicate -> [sets, replicates, l] float64. Weights move within
  // strata, so the shares of the strata in a set stay; a stratum that a set drew once tells nothing and stays.
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

// How much wider the location's spread over test pools becomes when the estimator learnt from `trained` members of
// another pool of the same world, which deviates in the same way: sqrt(1 + pool / trained); 1 for an endless one (0).
double both_pools(std::int64_t pool, std::int64_t trained);

// The sd over pools of the mean rank, from ranks [sets, replicates]: what the sets' ranks share over the replicates,
// for moves of 1. Each set's own resampling noise, which pools do not cause, is taken out.
double pool_location_sd(const torch::Tensor& ranks);

// Sets worth resampling to know that sd at set size n: so many that noise is a few hundredths of it, where there are.
std::int64_t pool_sets(std::int64_t sets, std::int64_t n, std::int64_t pool);

}  // namespace pairs
