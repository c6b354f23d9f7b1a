#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/kinds/observed.h"
#include "core/base/csv_table.h"
#include "core/task.h"

namespace pairs {

// Refuses rows of another number of columns than the task's points have; `hint` ends the sentence.
void check_columns(const TaskInfo& info, std::int64_t columns, const std::string& where, const std::string& hint);

// The same error, which says as well that other columns can be chosen.
ColumnsError with_advice(const ColumnsError& error);
// The names under which a table holds the task's columns.
std::vector<std::string> wanted_columns(const TaskInfo& task, const TableColumns& columns);

// Whether the file is a table of points: a CSV file, one that open_table reads, or an .npz with an array a column.
bool is_points_table(const std::filesystem::path& path, const TaskInfo& task, const TableColumns& columns);
// The first `most` points of such a table. Throws ColumnsError where its columns cannot be told.
ObservedTable read_points(const std::filesystem::path& path, const TaskInfo& task, std::int64_t most,
                          const TableColumns& columns);

}  // namespace pairs
