#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/task.h"

namespace pairs {

// Makes tasks; code that needs tasks receives a library. Thread-safe.
class TaskLibrary {
 public:
  virtual ~TaskLibrary() = default;

  // Names of the built-in tasks, in the order in which they are listed.
  virtual std::vector<std::string> names() const = 0;
  // Throws a usage error for an unknown name.
  virtual std::shared_ptr<const Task> make(const std::string& name, const TaskOptions& options = {}) const = 0;
  // The default settings of the task of that name; none if it has none or if the name is unknown.
  virtual TaskSettings default_settings(const std::string& name) const;

  // Custom tasks, which are described in files (TaskInfo::file). All of these throw Error if the library reads no such
  // files.

  // Reads a task's file, or a folder that holds one, so that the task can be made by its name; returns that name.
  virtual std::string open(const std::filesystem::path& file);
  // The copy of the file that a new run keeps, which is a valid task file itself.
  virtual std::string recorded(const std::filesystem::path& file) const;
  // A sentence on how the user's own file differs from a run's copy; "" if it does not, or is gone.
  virtual std::string changed(const std::filesystem::path& copy) const;
  // A preset generated for the task's size.
  virtual std::string preset(const TaskInfo& task, const std::string& preset) const;
};

// A shared library.
using Tasks = std::shared_ptr<TaskLibrary>;

}  // namespace pairs
