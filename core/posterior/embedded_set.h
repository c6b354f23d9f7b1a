#pragma once

#include <torch/types.h>

#include <cstdint>
#include <memory>

#include "core/estimator.h"

namespace pairs {

// The embeddings of one observed set as running sums, so that the aggregate of any of its prefixes is at hand. Keeps
// the sums of every prefix where they are small, else of every few: the rest is embedded again when asked for.
class EmbeddedSet {
 public:
  // `size`: observations that will come.
  EmbeddedSet(std::shared_ptr<Estimator> estimator, std::int64_t size);

  // Embeds the next observations, on the CPU. Throws Error beyond `size`.
  void add(const Observations& x);
  std::int64_t count() const { return count_; }
  // Mean embedding of the first n <= count() observations -> [1, l] float64 on the CPU; `x` holds all that were added.
  torch::Tensor aggregate(std::int64_t n, const Observations& x) const;
  // Observations between two sums that are kept.
  std::int64_t stride() const { return stride_; }

 private:
  torch::Tensor embed(const Observations& x) const;  // [M, l] float64

  std::shared_ptr<Estimator> estimator_;
  std::int64_t size_, stride_ = 1, count_ = 0;
  torch::Tensor sums_;   // [size / stride + 1, l] float64; row k: of the first k strides
  torch::Tensor total_;  // [l]
};

}  // namespace pairs
