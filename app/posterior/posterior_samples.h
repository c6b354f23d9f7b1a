#pragma once

#include <torch/types.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "app/posterior/typicality.h"
#include "core/train/run.h"

namespace pairs {

// So many samples of the task's target fit into memory.
std::int64_t most_samples(const TaskInfo& info);

// What stands beside samples in their file: "warned" [1], 1 where the posterior came with a warning, and "percentile"
// [1], how far from the training's the set lies, where that is known.
std::map<std::string, torch::Tensor> trust_arrays(const Typicality& typicality, bool warned);

// Adds the set's place among those of training to a document: "distance", "percentile" and "outside_training".
void add_typicality(nlohmann::json& document, const Typicality& typicality);

// What follows from every sample beside it: its name and values [S] float64.
using DerivedColumn = std::pair<std::string, torch::Tensor>;

// Posterior samples [S, d] as a table: a column a target under its name, then a derived one each, and a row a sample,
// in digits that read back exactly.
std::string samples_csv(const torch::Tensor& samples, const TaskInfo& info,
                        const std::vector<DerivedColumn>& derived = {});

// Writes posterior samples as FILE.npz, which holds the arrays, and each derived column as "derived_NAME"; or the array
// "samples" alone: as FILE.csv, such a table, or as FILE.nc or .h5 (app/posterior/draws_file.h). Weights are the array
// or the last column "weight", and in .nc and .h5 the variable "weight" of the group "sample_stats".
struct SamplesOf {
  Observations x = {};                           // that they were inferred from: .nc and .h5 hold them, too,
  std::map<std::string, std::string> told = {};  // and this: "run", "data"
  std::vector<DerivedColumn> derived = {};
  torch::Tensor weights = {};  // [S] float64 under another prior, or undefined
};
void write_samples(const std::filesystem::path& file, const std::map<std::string, torch::Tensor>& arrays,
                   const TaskInfo& info, const SamplesOf& of = {});

}  // namespace pairs
