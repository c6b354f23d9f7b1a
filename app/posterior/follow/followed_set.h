#pragma once

#include <torch/types.h>

#include <cstdint>
#include <memory>

#include "core/estimator.h"

namespace pairs {

// A set whose observations arrive one after another, without an end. Embeds each observation once its block is complete
// (until then again with each new observation of the block) and keeps the aggregate, which equals that of an
// EmbeddedSet. An estimator accepts at most `most` observations; beyond, it is of a uniform random subset of
// `most`, drawn by `seed` on arrival (Vitter 1985, algorithm R). Memory is bounded by `most` embeddings.
class FollowedSet {
 public:
  FollowedSet(std::shared_ptr<Estimator> estimator, std::int64_t most, std::uint64_t seed);

  // Embeds the next observations, on the CPU. Throws Error naming the observation on which the network overflows.
  void add(const Observations& x);
  // The number of observations so far, and of those in the aggregate.
  std::int64_t seen() const { return seen_; }
  std::int64_t size() const { return std::min(seen_, most_); }
  // The aggregate [1, l] float64 on the CPU. Throws Error without observations.
  torch::Tensor aggregate() const;

 private:
  void fill(const Observations& x);
  void replace(const Observations& x);
  // Embeds observations starting at number `first` -> the state of all.
  torch::Tensor embed(const Observations& x, std::int64_t first, torch::Tensor& embeddings) const;
  void keep(const torch::Tensor& embeddings, const torch::Tensor& state);

  std::shared_ptr<Estimator> estimator_;
  std::int64_t most_, block_, seen_ = 0, kept_count_ = 0;
  std::uint64_t key_;
  Observations open_;         // observations of the incomplete block
  torch::Tensor open_state_;  // the pool's, [l]; undefined without any
  torch::Tensor kept_;        // [capacity, l] float32, the first kept_count_ rows
  torch::Tensor state_;       // the pool's, [l], of these
};

}  // namespace pairs
