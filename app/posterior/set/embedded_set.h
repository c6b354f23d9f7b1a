#pragma once

#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <memory>

#include "core/estimator.h"

namespace pairs {

// The number of observations of a set that are embedded at once. Blocks start at fixed positions, so that the aggregate
// is bitwise the same however the observations arrive: networks may round differently for different batch sizes.
std::int64_t embedding_block(const TaskInfo& info);

// The end of the block of observation n - 1 in a set of `size`.
std::int64_t embedding_block_end(const TaskInfo& info, std::int64_t n, std::int64_t size);

// The pool's states of the first 1, 2, … observations of a block -> [M, l] float64 on the CPU; fills the embeddings
// [M, l] float32 if requested.
torch::Tensor block_prefixes(Estimator& estimator, const Observations& block, torch::Tensor* embeddings = nullptr);

// Throws Error naming observation `at` + 1 of a set, for which a network overflows; `value` is its largest number.
[[noreturn]] void fail_overflow(std::int64_t at, double value);

// The pool's states of one observed set, from which the aggregate of any prefix follows. Keeps the state of every
// prefix if they are small, else of every block or every few blocks, and embeds the rest again on demand. Memory is
// bounded for any size.
class EmbeddedSet {
 public:
  // `size`: number of observations to expect.
  EmbeddedSet(std::shared_ptr<Estimator> estimator, std::int64_t size);

  // Embeds the next observations, on the CPU: whole blocks except at the end of the set; fills their embeddings [M, l]
  // float32 if requested. Throws Error beyond `size`.
  void add(const Observations& x, torch::Tensor* embeddings = nullptr);
  std::int64_t count() const { return count_; }
  // embedding_block_end of the set.
  std::int64_t block_end(std::int64_t n) const;
  // The aggregate of the first n <= count() observations -> [1, l] float64 on the CPU; `part(from, to)` returns
  // observations from .. to - 1 again, at most a few blocks. Throws Error naming an observation for which the network
  // overflows.
  torch::Tensor aggregate(std::int64_t n,
                          const std::function<Observations(std::int64_t from, std::int64_t to)>& part) const;
  // The aggregate if `x` holds all observations added.
  torch::Tensor aggregate(std::int64_t n, const Observations& x) const;
  // The number of observations between two stored states.
  std::int64_t stride() const { return stride_; }

 private:
  std::shared_ptr<Estimator> estimator_;
  std::int64_t size_, block_, stride_ = 1, count_ = 0;
  torch::Tensor states_;        // [size / stride + 1, l] float64; row k: of the first k strides
  torch::Tensor total_;         // [l]
  std::int64_t overflow_ = -1;  // the first observation whose embedding is not finite
};

}  // namespace pairs
