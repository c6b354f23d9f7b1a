#pragma once

#include <memory>

#include "core/task.h"
#include "tasks/own/task_file.h"

namespace pairs::own {

// A task whose parameters and observations a person's program draws. What the file leaves out of ranges is measured of
// draws from the prior, which starts the program.
std::shared_ptr<const Task> make_simulated_task(const TaskFile& file);

}  // namespace pairs::own
