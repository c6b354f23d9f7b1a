#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/task.h"

namespace pairs {

// Where tasks come from.
struct TaskFactory {
  std::function<std::shared_ptr<const Task>(const std::string& name, const TaskOptions& options)> make;
  // The names of all tasks; none: `make` takes any.
  std::function<std::vector<std::string>()> names = {};
  // The settings of the task of that name at their defaults; none: tasks have no settings.
  std::function<TaskSettings(const std::string& name)> settings = {};
};

// The core knows no concrete task: tasks/registry.cpp hands its factory over when the program starts.
bool register_task_factory(TaskFactory factory);
// Makes a task through the registered factory.
std::shared_ptr<const Task> make_registered_task(const std::string& name, const TaskOptions& options);
// What the registered factory says; without one, or without its answer, nothing.
std::vector<std::string> registered_task_names();
// Of a name that is no task's: none.
TaskSettings default_task_settings(const std::string& name);

}  // namespace pairs
