#pragma once

#include <torch/types.h>

#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "app/posterior/sets_output.h"

namespace pairs {

// Posterior samples as ArviZ and xarray read them: HDF5 as netCDF-4 lays it out, with the group "posterior", in which
// each target is a variable with the dimensions chain (1) and draw, and for many sets "set", whose names are its
// coordinate.

// Whether the path names such a file: .nc or .h5.
bool is_draws_file(const std::filesystem::path& file);

// The samples [S, d] of one set, with texts as attributes of the file. Where x is defined and holds no more than
// 1,000,000 numbers in rows of one width, the group "observed_data" holds it as "x" (observation, column); where
// weights [S] are, the group "sample_stats" holds them as "weight" (chain, draw). Written beside and renamed. Throws
// Error, a usage error where this build has no libhdf5.
void write_draws(const std::filesystem::path& file, const TaskInfo& info, const torch::Tensor& samples,
                 const Observations& x = {}, const std::map<std::string, std::string>& told = {},
                 const torch::Tensor& weights = {});

// Takes the samples of each set as they come; NaN where a set could not be answered.
std::unique_ptr<SetsOutput> draws_output(const std::filesystem::path& file, const SetsHead& head);

}  // namespace pairs
