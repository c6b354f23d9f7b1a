#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/task.h"

namespace pairs {

// Where tasks come from: whoever needs tasks is handed one of these. Thread-safe.
class TaskLibrary {
 public:
  virtual ~TaskLibrary() = default;

  // Names of the tasks that are built in, in the order people meet them.
  virtual std::vector<std::string> names() const = 0;
  // Throws a usage error for a name that is no task's.
  virtual std::shared_ptr<const Task> make(const std::string& name, const TaskOptions& options = {}) const = 0;
  // The settings of the task of that name at their defaults; none where it has none, and for a name that is no task's.
  virtual TaskSettings default_settings(const std::string& name) const;

  // Tasks of a person's own, which stand in files (TaskInfo::file). All of these throw Error where the library reads no
  // such files.

  // Reads one, or a folder that holds one, so that tasks can be made by its name -> that name.
  virtual std::string open(const std::filesystem::path& file);
  // The text of the copy that a new run keeps, which is a task's file as well.
  virtual std::string recorded(const std::filesystem::path& file) const;
  // A sentence on what the person's own file says otherwise than a run's copy of it; "" where it does not, or is gone.
  virtual std::string changed(const std::filesystem::path& copy) const;
  // The text of a preset that is made to the task's size.
  virtual std::string preset(const TaskInfo& task, const std::string& preset) const;
};

// A library as it is handed on.
using Tasks = std::shared_ptr<TaskLibrary>;

}  // namespace pairs
