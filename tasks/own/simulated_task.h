#pragma once

#include <memory>

#include "core/task.h"
#include "tasks/own/file/task_file.h"

namespace pairs::own {

// A task whose parameters and observations come from a user's program. Ranges that the file omits are measured on
// samples of the prior, which starts the program.
std::shared_ptr<const Task> make_simulated_task(const TaskFile& file);

}  // namespace pairs::own
