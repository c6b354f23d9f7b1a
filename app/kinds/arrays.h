#pragma once

#include <torch/types.h>

#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "app/kinds/observation_room.h"
#include "core/base/files/npz.h"

namespace pairs {

// Common functions for reading observations. `where` names the source in errors.

// "[N, 28, 28]" for first = "N".
std::string shape_text(at::IntArrayRef shape, const char* first = nullptr);
// The array `name` of a file, or its only one. Throws Error if it holds others.
const std::string& pick_array(const NpzReader& arrays, const std::filesystem::path& path, const std::string& name);
// Reads an array of an .npz file, or its first `rows`. Numbers become NaN where a mask of ones and zeros, "mask" or
// "NAME_mask", is one, as numpy.ma marks missing values; the mask has the array's shape or one entry per row. Throws
// Error for other masks.
torch::Tensor read_masked(NpzReader& arrays, const std::filesystem::path& path, const std::string& name,
                          std::int64_t rows = std::numeric_limits<std::int64_t>::max());
// The names of the numbers in each row of x in an .npz file: the texts of an array such as "columns" of matching
// length; else none. Throws Error if these are Python objects, which are not read.
std::vector<std::string> names_of_x(const NpzReader& arrays, const std::filesystem::path& path);
// Throws Error for a file with several sets: one whose array "set" has the set number of each observation, as written
// by `evaluate --export`, or whose array "offsets" has the first observation of each set, as in files of simulations.
void refuse_several_sets(NpzReader& arrays, std::int64_t observations, const std::filesystem::path& path);
// The first columns of x [M, columns] by their names, of periodic ones the cosine and the sine: statistics of these do
// not depend on the turn in which a value is written.
ObservationSummaries column_summaries(const TaskInfo& info, const torch::Tensor& x);
// Throws Error naming the first row with NaN or infinite values.
void check_finite(const torch::Tensor& values, const std::string& where);
// The usual extension for a file's contents (ending_of_format, tasks/file_format.h): ".npz" for "X.NPZ", ".csv" for a
// text table of any name.
std::string lower_extension(const std::filesystem::path& path);
void check_exists(const std::filesystem::path& path);

// Checks the shape of a set of observations of fixed shape, in which an axis of length one may be missing; throws
// Error.
void check_block_shape(at::IntArrayRef sizes, const TaskInfo& task, const std::string& where);
// Adds the missing axis to a set of that shape.
torch::Tensor with_all_axes(const torch::Tensor& x, const TaskInfo& task);
// Checks that a set of that shape is finite and converts it to the task's form; throws Error.
Observed checked_block(const torch::Tensor& x, const TaskInfo& task, const std::string& where);
// Reads the block of observations of an .npz file, at most `most`, in the shape of the task's room.
Observed read_block(const std::filesystem::path& path, const TaskInfo& task, std::int64_t most, Missing missing);

}  // namespace pairs
