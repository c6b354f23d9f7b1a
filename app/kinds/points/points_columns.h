#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/kinds/observed.h"
#include "core/task.h"

namespace pairs {

// Refuses rows of another number of columns than the task's points have; `hint` ends the sentence.
void check_columns(const TaskInfo& info, std::int64_t columns, const std::string& where, const std::string& hint);

// The first `most` points of a CSV file, of which the task's columns are these (read_observed_columns); none: those of
// the same names. Throws ColumnsError where they cannot be told.
ObservedTable read_points(const std::filesystem::path& path, const TaskInfo& task, std::int64_t most,
                          const std::vector<std::string>& columns);

}  // namespace pairs
