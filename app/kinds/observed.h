#pragma once

#include <torch/types.h>

#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "app/kinds/observation_room.h"

namespace pairs {

// Reads an observed set of the user: NPZ (the array "x", or the only one; for points also one array per column; for
// ragged rows "rows" and "offsets"), for points CSV (if a header names columns, those of the task) and tables
// (tasks/table_file.h), for images a folder. Reads only the first `most` observations, and avoids unpacking others.
// Colors given as whole numbers beyond 0 and 1 are bytes and scaled to [0, 1]. Throws Error with one sentence for a
// wrong shape, an empty set, values that are not finite, or colors far from [0, 1].
Observed read_observed(const std::filesystem::path& path, const TaskInfo& task,
                       std::int64_t most = std::numeric_limits<std::int64_t>::max());

// The maximum number of a table's numbers in memory; larger tables are read on demand.
inline constexpr std::int64_t kHeldNumbers = 1 << 22;

// How to read a table of points.
struct TableColumns {
  // The columns to use as the task's, one for each: names in the file, or "column 2". None: those of `files`, or the
  // task's names.
  std::vector<std::string> chosen = {};
  std::vector<FileColumn> files = {};  // the task's description of files; empty: x as it is
  std::int64_t held = kHeldNumbers;    // maximum number of numbers in memory
  std::string reader = {};             // the command of a program that reads the file (tasks/program_table.h); else ""
  std::string table = {};              // for a file with several tables: which one; "": the first with the columns
  // The treatment of observations with a missing value. `keep`, only for .npz files: they stay as they are, float64.
  Missing missing = Missing::refuse;
};
// An observed set from a table of points.
struct ObservedTable : Observed {
  // For a table: the names of its columns ("column 1", ... if it has none), and those used as x; else empty.
  std::vector<std::string> columns = {}, taken = {};
  // The rows of a file too large for memory; x is then empty.
  std::shared_ptr<ObservedRows> rows = {};
};
ObservedTable read_observed_columns(const std::filesystem::path& path, const TaskInfo& task, std::int64_t most,
                                    const TableColumns& columns);

// The task's description of the columns of files; empty if there is none.
std::vector<FileColumn> file_columns(const Task& task);
// The usual extensions of files with observations of the task, apart from folders: ".csv", ".npz", ... in lower case.
// ".gz": may follow any of these.
std::vector<std::string> observation_endings(const TaskInfo& task);

// The conditions of an observed set -> [1, g] float64: numbers "1,0.5,..." or "exposure=1,..." of `text`; else the
// array "given" of the .npz file `path`, or its arrays or a table's columns of these names, which must agree for all
// observations; undefined if the task's sets have no conditions. Throws Error naming what is missing. `read`: how to
// read a table; with Missing::drop, rows without conditions are skipped.
torch::Tensor read_given(const std::string& text, const std::filesystem::path& path, const TaskInfo& task,
                         const TableColumns& read = {});
// Whether the file itself contains the conditions.
bool holds_given(const std::filesystem::path& path, const TaskInfo& task, const TableColumns& read = {});
// The rows of [M, g] that contain the conditions, if Missing::drop skips others; undefined if there are none.
torch::Tensor stated_rows(const torch::Tensor& rows, Missing missing);
// The conditions of one set from the rows [M, g] of its observations; `where` names them.
torch::Tensor given_of_rows(const torch::Tensor& rows, const TaskInfo& task, const std::string& where);

// Values of the target to score, one row each -> [S, d] float64, from NPZ (array "theta", or the only one) or CSV (if a
// header names columns, those of the targets). At most 1,000,000. For `sets` > 0 sets, also an array [sets, S, d] with
// values for each set.
torch::Tensor read_theta(const std::filesystem::path& path, const TaskInfo& task, std::int64_t sets = 0);

// Converts an array into the shape of a set of the task's observations: adds a missing channel, or the missing last
// axis of one-dimensional points. `where` names the source in errors and warnings.
Observed as_observations(torch::Tensor x, const TaskInfo& task, const std::string& where);

}  // namespace pairs
