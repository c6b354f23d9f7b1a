#pragma once

#include <torch/types.h>

#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "app/kinds/observation_room.h"
#include "core/base/npz.h"

namespace pairs {

// What reading any observations needs. `where` names the source in errors.

// "[N, 28, 28]" for first = "N".
std::string shape_text(at::IntArrayRef shape, const char* first = nullptr);
// The array `name` of a file, or its only one; Throws Error where it holds others.
const std::string& pick_array(const NpzReader& arrays, const std::filesystem::path& path, const std::string& name);
// An array of an .npz file, or its first `rows`, whose numbers are NaN where an array of ones and zeros beside it,
// "mask" or "NAME_mask", is one as those of numpy.ma are where a value is missing: of its shape, or an entry for each
// of its rows. Throws Error where such an array is neither.
torch::Tensor read_masked(NpzReader& arrays, const std::filesystem::path& path, const std::string& name,
                          std::int64_t rows = std::numeric_limits<std::int64_t>::max());
// What an .npz file calls the numbers of each row of its array x: the texts of an array such as "columns" beside it,
// where they are as many; else none. Throws Error where these are objects, which are not read.
std::vector<std::string> names_of_x(const NpzReader& arrays, const std::filesystem::path& path);
// A file whose array "set" gives each of the observations the number of its set, as `evaluate --export` writes them, or
// whose array "offsets" gives the first of each set, as files of simulations do, is no one set: throws Error.
void refuse_several_sets(NpzReader& arrays, std::int64_t observations, const std::filesystem::path& path);
// Throws Error naming the first row that holds NaN or infinite values.
void check_finite(const torch::Tensor& values, const std::string& where);
// The usual ending of what a file holds (ending_of_format, tasks/file_format.h): ".npz" of "X.NPZ", ".csv" of a table
// of text whatever its name.
std::string lower_extension(const std::filesystem::path& path);
void check_exists(const std::filesystem::path& path);

// The shape of a set of the task's observations of one shape, a missing axis of one allowed; else throws Error.
void check_block_shape(at::IntArrayRef sizes, const TaskInfo& task, const std::string& where);
// A set of that shape with the axis it may lack.
torch::Tensor with_all_axes(const torch::Tensor& x, const TaskInfo& task);
// Finite observations of a set of that shape, held as the task's are; throws Error where they are none.
Observed checked_block(const torch::Tensor& x, const TaskInfo& task, const std::string& where);
// The block of observations of an .npz file, at most `most`, brought into shape by the task's room.
Observed read_block(const std::filesystem::path& path, const TaskInfo& task, std::int64_t most, Missing missing);

}  // namespace pairs
