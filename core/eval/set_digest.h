#pragma once

#include <torch/types.h>

#include <cstdint>
#include <vector>

#include "core/aggregate.h"

namespace pairs {

// What tells a test set from others: 16 bits of its θ, as float32, and of two weighted sums over the numbers of its first
// observation, rounded to twelve bits so that the last bits of another machine or device seldom matter.
std::uint16_t set_digest(const torch::Tensor& theta, const Observations& first);

// Digests of sets as their observations stream by.
class SetDigests {
 public:
  // For the next `count` sets.
  void begin(std::int64_t count) { first_.assign(static_cast<std::size_t>(count), {}); }
  // As StreamOptions::visit is told.
  void add(const Observations& x, const std::vector<ChunkPart>& parts);
  // Appends one a set, whose parameters are theta [count, d].
  void finish(const torch::Tensor& theta, std::vector<std::uint16_t>& digests) const;

 private:
  std::vector<Observations> first_;  // on the CPU
};

// Those of a task's first `count` test sets, made on the CPU.
std::vector<std::uint16_t> first_digests(const Task& task, std::uint64_t seed, std::int64_t count);

// How many of their first sets two evaluations share: as many as both have, where nearly all (95 %) of these have the
// same digest; else 0.
std::size_t shared_sets(const std::vector<std::uint16_t>& a, const std::vector<std::uint16_t>& b);

}  // namespace pairs
