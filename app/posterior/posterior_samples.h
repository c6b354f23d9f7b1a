#pragma once

#include <torch/types.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include "app/posterior/typicality.h"
#include "core/train/run.h"

namespace pairs {

// So many samples of the task's target fit into memory.
std::int64_t most_samples(const TaskInfo& info);

// What stands beside samples in their file: "warned" [1], 1 where a warning was told of the posterior, and "percentile"
// [1], how far from the training's the set lies, where that is known.
std::map<std::string, torch::Tensor> trust_arrays(const Typicality& typicality, bool warned);

// Posterior samples [S, d] as a table: a column a target under its name, and a row a sample, in digits that read back
// exactly.
std::string samples_csv(const torch::Tensor& samples, const TaskInfo& info);

// Writes posterior samples as FILE.npz, which holds the arrays, or the array "samples" alone: as FILE.csv, such a table,
// or as FILE.nc or .h5 (app/posterior/draws_file.h). The latter hold what the samples are of, too.
struct SamplesOf {
  Observations x = {};
  std::map<std::string, std::string> told = {};  // "run", "data"
};
void write_samples(const std::filesystem::path& file, const std::map<std::string, torch::Tensor>& arrays,
                   const TaskInfo& info, const SamplesOf& of = {});

}  // namespace pairs
