#pragma once

#include <functional>
#include <memory>
#include <string>

#include "core/task.h"

namespace pairs {

using TaskFactory = std::function<std::shared_ptr<const Task>(const std::string& name, const TaskOptions& options)>;

// The core knows no concrete task: tasks/registry.cpp hands its factory over when the program starts.
bool register_task_factory(TaskFactory factory);
// Makes a task through the registered factory.
std::shared_ptr<const Task> make_registered_task(const std::string& name, const TaskOptions& options);

}  // namespace pairs
