#pragma once

#include <torch/types.h>

#include <cstdint>
#include <memory>

namespace pairs {

// How the embeddings of a set become its aggregate: the permutation-invariant step of a Deep Set. A pool is a
// commutative monoid of states: the states of parts of a set, in any grouping, merge into the state of the set, from
// which its aggregate follows. Everything that pools, in training and afterwards, calls it.
//
// States are float64 tensors whose last axis has the length l of an embedding; embeddings are float32 [M, l]. Segments
// are rows offsets[b] .. offsets[b + 1] - 1; offsets [B + 1] int64 are on the embeddings' device. No function but
// forward has a gradient. All are thread-safe.
class Pool {
 public:
  virtual ~Pool() = default;

  // The aggregates of whole sets in one step, differentiable: embeddings [M, l], a segment a set -> [B, l] in the
  // embeddings' type. Every segment has at least one row.
  virtual torch::Tensor forward(const torch::Tensor& embeddings, const torch::Tensor& offsets) const = 0;

  // The state of no observations -> [count, l] or, for count 0, [l].
  virtual torch::Tensor empty(std::int64_t count, std::int64_t l, torch::Device device = torch::kCPU) const = 0;
  // The states of segments of embeddings [M, l] -> [B, l].
  virtual torch::Tensor accumulate(const torch::Tensor& embeddings, const torch::Tensor& offsets) const = 0;
  // The states of B parts of n embeddings each: embeddings [B, n, l] -> [B, l].
  virtual torch::Tensor accumulate(const torch::Tensor& embeddings) const = 0;
  // The states of the first 1, 2, ..., M of embeddings [M, l] -> [M, l].
  virtual torch::Tensor prefixes(const torch::Tensor& embeddings) const = 0;
  // The states of two disjoint parts of a set, merged; shapes broadcast.
  virtual torch::Tensor merge(const torch::Tensor& a, const torch::Tensor& b) const = 0;
  // Merges parts [M, l] into states [B, l] of the sets in `rows` [M] int64, in the order of the rows.
  virtual void merge_into(torch::Tensor& states, const torch::Tensor& rows, const torch::Tensor& parts) const = 0;
  // The states of the first 1, 2, ... blocks along axis 1 of [B, blocks, l].
  virtual torch::Tensor merge_blocks(const torch::Tensor& states) const = 0;
  // Takes one observation out of a state [l] and puts another one in; embeddings [l].
  virtual void exchange(double* state, const float* added, const float* removed, std::int64_t l) const = 0;

  // The aggregates of states of sets of n observations; n is one number, or a float64 tensor whose shape broadcasts.
  virtual torch::Tensor finish(const torch::Tensor& states, std::int64_t n) const = 0;
  virtual torch::Tensor finish(const torch::Tensor& states, const torch::Tensor& n) const = 0;
  // The weight of a block's aggregate in that of a union of blocks with n observations in all.
  virtual double share(std::int64_t block, std::int64_t n) const = 0;
  // The gradient of a loss in each observation's embedding, from that in the aggregate [B, l] of its set; n [B, 1] in
  // the gradient's type.
  virtual torch::Tensor slope(const torch::Tensor& gradient, const torch::Tensor& n) const = 0;
  // The spread at N: the covariance (or its diagonal) of aggregates of sets of size n, from that between sets and that
  // within sets. n as for finish.
  virtual torch::Tensor spread(const torch::Tensor& between, const torch::Tensor& within, double n) const = 0;
  virtual torch::Tensor spread(const torch::Tensor& between, const torch::Tensor& within,
                               const torch::Tensor& n) const = 0;
};

// The mean over the set, the paper's pool; sums are accumulated in float64.
std::shared_ptr<const Pool> mean_pool();

}  // namespace pairs
