#pragma once

#include <torch/types.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "app/posterior/caveats/typicality.h"
#include "core/train/run/run.h"

namespace pairs {

// The number of samples of the task's target that fit into memory.
std::int64_t most_samples(const TaskInfo& info);

// The arrays stored with samples: "warned" [1], 1 if the posterior came with a warning, and "percentile" [1], the set's
// typicality, if known.
std::map<std::string, torch::Tensor> trust_arrays(const Typicality& typicality, bool warned);

// Adds the set's typicality to a document: "distance", "percentile" and "outside_training".
void add_typicality(nlohmann::json& document, const Typicality& typicality);

// A quantity derived from every sample: its name and values [S] float64.
using DerivedColumn = std::pair<std::string, torch::Tensor>;

// Posterior samples [S, d] as a table: one column per target, then one per derived quantity, and one row per sample, in
// digits that reproduce the values exactly.
std::string samples_csv(const torch::Tensor& samples, const TaskInfo& info,
                        const std::vector<DerivedColumn>& derived = {});

// Writes posterior samples: FILE.npz holds the arrays, and each derived column as "derived_NAME"; FILE.csv, and FILE.nc
// or .h5 (app/posterior/files/draws_file.h), hold only the array "samples". Weights are the array or last column
// "weight", and in .nc and .h5 the variable "weight" of the group "sample_stats".
struct SamplesOf {
  Observations x = {};                               // the observations, also stored in .nc and .h5
  std::map<std::string, std::string> reported = {};  // texts stored there: "run", "data"
  std::vector<DerivedColumn> derived = {};
  torch::Tensor weights = {};  // [S] float64 under another prior, or undefined
};
void write_samples(const std::filesystem::path& file, const std::map<std::string, torch::Tensor>& arrays,
                   const TaskInfo& info, const SamplesOf& of = {});

}  // namespace pairs
