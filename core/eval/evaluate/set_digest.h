#pragma once

#include <torch/types.h>

#include <cstdint>
#include <vector>

#include "core/aggregate.h"

namespace pairs {

// A fingerprint of a test set: 16 bits of its θ, as float32, and of two weighted sums over the numbers of its first
// observation, rounded to twelve bits so that rounding on another machine or device rarely matters.
std::uint16_t set_digest(const torch::Tensor& theta, const Observations& first);

// Computes digests of sets as their observations arrive.
class SetDigests {
 public:
  // Starts the next `count` sets.
  void begin(std::int64_t count) { first_.assign(static_cast<std::size_t>(count), {}); }
  // A callback for StreamOptions::visit.
  void add(const Observations& x, const std::vector<ChunkPart>& parts);
  // Appends one digest per set, whose parameters are theta [count, d].
  void finish(const torch::Tensor& theta, std::vector<std::uint16_t>& digests) const;

 private:
  std::vector<Observations> first_;  // on the CPU
};

// Digests of a task's first `count` test sets, simulated on the CPU.
std::vector<std::uint16_t> first_digests(const Task& task, std::uint64_t seed, std::int64_t count);

// How many of their first sets two evaluations share: as many as both have if nearly all (95 %) of their digests agree;
// else 0.
std::size_t shared_sets(const std::vector<std::uint16_t>& a, const std::vector<std::uint16_t>& b);

}  // namespace pairs
