#pragma once

#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/estimator.h"

namespace pairs {

// Where rows [begin, end) of a chunk belong: they are the next observations of set `set`, block `block`.
struct ChunkPart {
  std::int64_t set, block, begin, end;
};

struct StreamOptions {
  std::int64_t chunk = 0;                 // observations at once; 0: Estimator::observations_at_once
  std::function<bool()> keep_going = {};  // called between chunks; false throws Stopped
  // Returns known embeddings [rows, l] of the observations in the ranges. If set, nothing is simulated or embedded, and
  // `visit` is not called.
  std::function<torch::Tensor(const Latents& latents, std::span<const SetRange> ranges)> known = {};
  // Called with every chunk on the device before the chunk is dropped.
  std::function<void(const Observations& x, const std::vector<ChunkPart>& parts)> visit = {};
  // Called with every chunk's embeddings [rows, l] on the device, their ranges and one row of latents per range.
  std::function<void(const torch::Tensor& embeddings, const std::vector<ChunkPart>& parts, const Latents& latents,
                     std::span<const SetRange> ranges)>
      embedded = {};
};

// Simulates the first observations of each set, embeds them in chunks and pools the embeddings of consecutive blocks of
// the given sizes -> states of the estimator's pool [sets, blocks, l] on the CPU. Memory does not depend on the sizes
// of the blocks. Row k of `latents` belongs to indices[k].
torch::Tensor block_states(Estimator& estimator, const Latents& latents, std::uint64_t seed, Purpose purpose,
                           std::span<const std::int64_t> indices, std::span<const std::int64_t> blocks,
                           const StreamOptions& options = {});

// The aggregate of the first n observations of each set -> [sets, l] float64 on the CPU.
torch::Tensor aggregate_sets(Estimator& estimator, const Latents& latents, std::uint64_t seed, Purpose purpose,
                             std::span<const std::int64_t> indices, std::int64_t n, const StreamOptions& options = {});

}  // namespace pairs
