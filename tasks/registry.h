#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/task.h"

namespace pairs {

// Names of the tasks that are built in, in the order people meet them.
std::vector<std::string> task_names();

// Makes a task. Unknown names are a usage error naming the nearest one.
std::shared_ptr<const Task> make_task(const std::string& name, const TaskOptions& options = {});

}  // namespace pairs
