#pragma once

#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <memory>

#include "core/estimator.h"

namespace pairs {

// Observations of one set that are embedded at once. Blocks begin at fixed places of the set, so that its aggregate is
// the same to the bit however its observations came: networks may round by how many they are given.
std::int64_t embedding_block(const TaskInfo& info);

// The end of the block that observation n - 1 of a set of `size` lies in.
std::int64_t embedding_block_end(const TaskInfo& info, std::int64_t n, std::int64_t size);

// Sums over the embeddings of the first 1, 2, … observations of a block -> [M, l] float64 on the CPU, with the
// embeddings [M, l] float32 if asked for.
torch::Tensor block_prefixes(Estimator& estimator, const Observations& block, torch::Tensor* embeddings = nullptr);

// Throws Error naming observation `at` + 1 of a set, on which a network overflows; `value` is its largest.
[[noreturn]] void fail_overflow(std::int64_t at, double value);

// The embeddings of one observed set as running sums, so that the aggregate of any of its prefixes is at hand. Keeps
// the sums of every prefix where they are small, else of every block, or of every few: the rest is embedded again when
// asked for. Memory is bounded, whatever the size.
class EmbeddedSet {
 public:
  // `size`: observations that will come.
  EmbeddedSet(std::shared_ptr<Estimator> estimator, std::int64_t size);

  // Embeds the next observations, on the CPU: whole blocks, but at the end of the set; their embeddings [M, l] float32
  // if asked for. Throws Error beyond `size`.
  void add(const Observations& x, torch::Tensor* embeddings = nullptr);
  std::int64_t count() const { return count_; }
  // embedding_block_end of the set.
  std::int64_t block_end(std::int64_t n) const;
  // Mean embedding of the first n <= count() observations -> [1, l] float64 on the CPU; `part(from, to)` gives
  // observations from .. to - 1 of those that were added once more, a few blocks at most. Throws Error naming an
  // observation among them on which the network overflows.
  torch::Tensor aggregate(std::int64_t n,
                          const std::function<Observations(std::int64_t from, std::int64_t to)>& part) const;
  // The same where `x` holds all that were added.
  torch::Tensor aggregate(std::int64_t n, const Observations& x) const;
  // Observations between two sums that are kept.
  std::int64_t stride() const { return stride_; }

 private:
  std::shared_ptr<Estimator> estimator_;
  std::int64_t size_, block_, stride_ = 1, count_ = 0;
  torch::Tensor sums_;          // [size / stride + 1, l] float64; row k: of the first k strides
  torch::Tensor total_;         // [l]
  std::int64_t overflow_ = -1;  // the first observation whose embedding is not finite
};

}  // namespace pairs
