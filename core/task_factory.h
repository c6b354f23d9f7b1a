#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/task.h"

namespace pairs {

// What is done with the files of tasks of a person's own.
struct TaskFiles {
  // Reads one, or a folder that holds one, so that tasks can be made by its name -> that name.
  std::function<std::string(const std::filesystem::path& file)> open;
  // The text of the copy that a new run keeps, which is a task's file as well.
  std::function<std::string(const std::filesystem::path& file)> recorded;
  // A sentence on what the person's own file says otherwise than a run's copy of it; "" where it does not, or is gone.
  std::function<std::string(const std::filesystem::path& copy)> changed;
  // The text of a preset that is made to the task's size.
  std::function<std::string(const TaskInfo& task, const std::string& preset)> preset;
};

// Where tasks come from.
struct TaskFactory {
  std::function<std::shared_ptr<const Task>(const std::string& name, const TaskOptions& options)> make;
  // The names of all tasks; none: `make` takes any.
  std::function<std::vector<std::string>()> names = {};
  // The settings of the task of that name at their defaults; none: tasks have no settings.
  std::function<TaskSettings(const std::string& name)> settings = {};
  // Tasks of a person's own, which stand in files (TaskInfo::file); none: there are none.
  TaskFiles files = {};
};

// The core knows no concrete task: tasks/registry.cpp hands its factory over when the program starts.
bool register_task_factory(TaskFactory factory);
// Makes a task through the registered factory.
std::shared_ptr<const Task> make_registered_task(const std::string& name, const TaskOptions& options);
// What the registered factory says; without one, or without its answer, nothing.
std::vector<std::string> registered_task_names();
// Of a name that is no task's: none.
TaskSettings default_task_settings(const std::string& name);
// What the registered factory does with files of tasks. Throws Error where it knows of none.
const TaskFiles& registered_task_files();

}  // namespace pairs
