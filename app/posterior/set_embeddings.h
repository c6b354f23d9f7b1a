#pragma once

#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "app/posterior/observed_set.h"
#include "core/train/run.h"

namespace pairs {

// What a run's embedder makes of one set.
struct SetEmbeddings {
  torch::Tensor embeddings;  // [M, l] float32 on the CPU, of the first M observations
  torch::Tensor aggregates;  // [K, l] float64: the means of the first n of them, which posteriors are asked with
};

// Of the first observations of the set, as many as the largest of `sizes`, each 1 to set.size(). Between blocks
// `keep_going()` false throws Stopped. Throws Error naming an observation that the network overflows on.
SetEmbeddings embed_set(const LoadedRun& run, ObservedSet& set, const std::vector<std::int64_t>& sizes,
                        const std::function<bool()>& keep_going = {});

}  // namespace pairs
