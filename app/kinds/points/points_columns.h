#pragma once

#include <string>

#include "core/task.h"

namespace pairs {

// Refuses rows of another number of columns than the task's points have; `hint` ends the sentence.
void check_columns(const TaskInfo& info, std::int64_t columns, const std::string& where, const std::string& hint);

}  // namespace pairs
