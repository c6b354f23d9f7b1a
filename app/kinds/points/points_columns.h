#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/kinds/observed.h"
#include "core/base/tables/csv_table.h"
#include "core/task.h"

namespace pairs {

// Throws unless rows have as many columns as the task's points; `hint` ends the sentence.
void check_columns(const TaskInfo& info, std::int64_t columns, const std::string& where, const std::string& hint);

// Adds to the error that other columns can be chosen.
ColumnsError with_advice(const ColumnsError& error);
// The names of the task's columns in a table.
std::vector<std::string> wanted_columns(const TaskInfo& task, const TableColumns& columns);

// Whether the file is a table of points: a CSV file, one that open_table reads, or an .npz with one array per column.
bool is_points_table(const std::filesystem::path& path, const TaskInfo& task, const TableColumns& columns);
// The first `most` points of such a table. Throws ColumnsError if its columns are ambiguous.
ObservedTable read_points(const std::filesystem::path& path, const TaskInfo& task, std::int64_t most,
                          const TableColumns& columns);

}  // namespace pairs
