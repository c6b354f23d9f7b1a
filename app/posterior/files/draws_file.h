#pragma once

#include <torch/types.h>

#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "app/posterior/files/sets_output.h"

namespace pairs {

// Posterior samples for ArviZ and xarray: HDF5 in the layout of netCDF-4, with the group "posterior", in which each
// target is a variable with the dimensions chain (1) and draw and, for many sets, "set", whose names are its
// coordinate.

// Whether the path names such a file: .nc or .h5.
bool is_draws_file(const std::filesystem::path& file);

// Writes the samples [S, d] of one set, with texts as attributes of the file. If x is defined and has at most 1,000,000
// numbers in rows of equal width, the group "observed_data" holds it as "x" (observation, column); weights [S] become
// "weight" (chain, draw) in the group "sample_stats". Writes a temporary file and renames it. Throws Error, a usage
// error if this build lacks libhdf5.
void write_draws(const std::filesystem::path& file, const TaskInfo& info, const torch::Tensor& samples,
                 const Observations& x = {}, const std::map<std::string, std::string>& reported = {},
                 const torch::Tensor& weights = {});

// Writes the samples of each set as they arrive; NaN for a set without a posterior.
std::unique_ptr<SetsOutput> draws_output(const std::filesystem::path& file, const SetsHead& head);

}  // namespace pairs
