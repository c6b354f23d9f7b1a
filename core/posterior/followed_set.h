#pragma once

#include <torch/types.h>

#include <cstdint>
#include <memory>

#include "core/estimator.h"

namespace pairs {

// A set whose observations come one after another, without an end: each is embedded once, and the mean of embeddings
// kept. An estimator knows sets of at most `most`; of more, that mean is over a random subset of `most`, each equally
// likely, drawn by `seed` as they come (Vitter 1985, algorithm R). Memory grows to `most` embeddings and no further.
class FollowedSet {
 public:
  FollowedSet(std::shared_ptr<Estimator> estimator, std::int64_t most, std::uint64_t seed);

  // Embeds the next observations, on the CPU. Throws Error naming the observation on which the network overflows.
  void add(const Observations& x);
  // All that came, and how many of them the aggregate is the mean of.
  std::int64_t seen() const { return seen_; }
  std::int64_t size() const { return std::min(seen_, most_); }
  // [1, l] float64 on the CPU. Throws Error while nothing came.
  torch::Tensor aggregate() const;

 private:
  std::shared_ptr<Estimator> estimator_;
  std::int64_t most_, seen_ = 0;
  std::uint64_t key_;
  torch::Tensor kept_;  // [capacity, l] float32, the first size() rows
  torch::Tensor sum_;   // [l] float64, of these
};

}  // namespace pairs
