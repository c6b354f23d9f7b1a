#pragma once

#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "app/posterior/set/observed_set.h"
#include "core/train/run/run.h"

namespace pairs {

// A run's embeddings of one set.
struct SetEmbeddings {
  torch::Tensor embeddings;  // [M, l] float32 on the CPU, of the first M observations
  torch::Tensor aggregates;  // [K, l] float64: means of the first n of them, as used for posteriors
};

// Embeds the first observations of the set, as many as the largest of `sizes`, each from 1 to set.size().
// `keep_going()` false between blocks throws Stopped. Throws Error naming an observation for which the network
// overflows.
SetEmbeddings embed_set(const LoadedRun& run, ObservedSet& set, const std::vector<std::int64_t>& sizes,
                        const std::function<bool()>& keep_going = {});

}  // namespace pairs
