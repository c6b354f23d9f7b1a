#pragma once

#include <torch/types.h>

#include <cstdint>
#include <memory>

#include "core/estimator.h"

namespace pairs {

// A set whose observations come one after another, without an end. Each is embedded once its block is whole (until then
// with every observation that joins it), and the mean of embeddings kept: that of an EmbeddedSet of the observations
// that have come. An estimator knows sets of at most `most`; of more, the mean is over a random subset of `most`, each
// equally likely, drawn by `seed` as they come (Vitter 1985, algorithm R). Memory grows to `most` embeddings and no
// further.
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
  void fill(const Observations& x);
  void replace(const Observations& x);
  // Embeds observations of which the first is number `first` -> sums as block_prefixes has them.
  torch::Tensor embed(const Observations& x, std::int64_t first, torch::Tensor& embeddings) const;
  void keep(const torch::Tensor& embeddings, const torch::Tensor& sum);

  std::shared_ptr<Estimator> estimator_;
  std::int64_t most_, block_, seen_ = 0, kept_count_ = 0;
  std::uint64_t key_;
  Observations open_;       // of the block that is not whole
  torch::Tensor open_sum_;  // [l] float64, of their embeddings; undefined without any
  torch::Tensor kept_;      // [capacity, l] float32, the first kept_count_ rows
  torch::Tensor sum_;       // [l] float64, of these
};

}  // namespace pairs
