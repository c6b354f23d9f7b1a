#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/task.h"

namespace pairs {

// Names of the tasks that are built in, in the order people meet them.
std::vector<std::string> task_names();

// The settings of a task at their defaults; none for a name that is no task's.
TaskSettings task_settings(const std::string& name);

// Makes a task. Unknown names are a usage error naming the nearest one.
std::shared_ptr<const Task> make_task(const std::string& name, const TaskOptions& options = {});

// Hands these tasks to the core, as happens when the program starts; once more after another factory took their place.
bool register_tasks();

}  // namespace pairs
