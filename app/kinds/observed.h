#pragma once

#include <torch/types.h>

#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "app/kinds/observation_room.h"

namespace pairs {

// An observed set from a user: NPZ (the array "x", or the only one; of points also an array a column; of ragged rows
// "rows" and "offsets"), for points CSV (where a header names columns, those of the task) and tables
// (tasks/table_file.h), a folder of images for images. No more than its first `most` observations are read, and no
// others unpacked where it can be helped. Colours given as whole numbers beyond 0 and 1 are bytes and scaled to [0, 1].
// Throws Error with one sentence on a wrong shape, an empty set, values that are not finite or colours far from [0, 1].
Observed read_observed(const std::filesystem::path& path, const TaskInfo& task,
                       std::int64_t most = std::numeric_limits<std::int64_t>::max());

// Of a table of more numbers than these no more is held than is asked for at once.
inline constexpr std::int64_t kHeldNumbers = 1 << 22;

// How a table of points is read.
struct TableColumns {
  // Those that are the task's, one for each of its own: names in the file, or "column 2". None: those of `files`, or
  // the task's names.
  std::vector<std::string> chosen = {};
  std::vector<FileColumn> files = {};  // what the task says of files; empty: x as it is
  std::int64_t held = kHeldNumbers;    // numbers
  std::string reader = {};             // the command of a program that reads the file (tasks/program_table.h); else ""
  std::string table = {};              // of a file with several tables this one; "": the first that has the columns
  // What becomes of observations with a missing value. `keep`, of .npz files alone: they come as they are, float64.
  Missing missing = Missing::refuse;
};
// The same of a table of points.
struct ObservedTable : Observed {
  // Of a table: what its columns are called ("column 1", ... where it does not say), and which of them x is; else
  // empty.
  std::vector<std::string> columns = {}, taken = {};
  // All of the file's, where there are too many to be held. Then x is none.
  std::shared_ptr<ObservedRows> rows = {};
};
ObservedTable read_observed_columns(const std::filesystem::path& path, const TaskInfo& task, std::int64_t most,
                                    const TableColumns& columns);

// What the task says of the columns of files; empty where it says nothing.
std::vector<FileColumn> file_columns(const Task& task);
// Usual endings of the files that hold observations of the task, folders aside: ".csv", ".npz", ... in lower case. ".gz":
// any of these behind it, too.
std::vector<std::string> observation_endings(const TaskInfo& task);

// What is given of an observed set beside its observations -> [1, g] float64: numbers "1,0.5,..." or "exposure=1,..."
// of `text`, else the array "given" of the .npz file `path`, or its arrays, or the columns of a table, of these names,
// where all observations say the same; undefined where the task's sets come with nothing. Throws Error naming what is
// missing.
// `read`: how a table is read; with Missing::drop rows that do not state it are skipped.
torch::Tensor read_given(const std::string& text, const std::filesystem::path& path, const TaskInfo& task,
                         const TableColumns& read = {});
// Whether the file says so itself.
bool tells_given(const std::filesystem::path& path, const TaskInfo& task, const TableColumns& read = {});
// Of rows [M, g] those that state what is given, where Missing::drop skips others; undefined where none does.
torch::Tensor stated_rows(const torch::Tensor& rows, Missing missing);
// The same of rows [M, g] that `where` names for the observations of one set.
torch::Tensor given_of_rows(const torch::Tensor& rows, const TaskInfo& task, const std::string& where);

// Values of the target to score, one row each -> [S, d] float64, from NPZ (array "theta", or the only one) or CSV
// (where a header names columns, those of the targets). At most 1,000,000. For `sets` > 0 sets also their own, an
// array [sets, S, d].
torch::Tensor read_theta(const std::filesystem::path& path, const TaskInfo& task, std::int64_t sets = 0);

// Brings an array into the shape of a set of the task's observations: adds a missing channel, or the missing last axis
// of one-dimensional points. `where` names the source in errors and warnings.
Observed as_observations(torch::Tensor x, const TaskInfo& task, const std::string& where);

}  // namespace pairs
