#pragma once

#include <torch/types.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include "core/posterior/posterior_source.h"
#include "core/posterior/typicality.h"
#include "core/train/run.h"

namespace pairs {

// So many samples of the task's target fit into memory.
std::int64_t most_samples(const TaskInfo& info);

// Aggregate [1, l] of the observations x of the set `name`. Throws Error naming an observation so large that the
// network overflows on it.
torch::Tensor finite_aggregate(const LoadedRun& run, const Observations& x, const std::string& name);
// `draws` samples [draws, d] of a run's posterior, which the source is called after. Throws Error where they are not
// finite.
torch::Tensor finite_samples(const PosteriorSource& source, std::int64_t draws);

// What `infer` samples: by the run, of the set of observations x [N, ...] called `name`, with what is given of it.
torch::Tensor posterior_samples(const LoadedRun& run, const Observations& x, const torch::Tensor& given,
                                const std::string& name, std::int64_t draws, std::uint64_t seed);

// What stands beside samples in their file: "warned" [1], 1 where a warning was told of the posterior, and "percentile"
// [1], how far from the training's the set lies, where that is known.
std::map<std::string, torch::Tensor> trust_arrays(const Place& place, bool warned);

// Writes posterior samples as FILE.npz, which holds the arrays, or as FILE.csv, a column a target and a row a sample,
// which holds the array "samples" alone.
void write_samples(const std::filesystem::path& file, const std::map<std::string, torch::Tensor>& arrays,
                   const TaskInfo& info);

}  // namespace pairs
