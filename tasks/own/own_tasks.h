#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/task.h"
#include "tasks/own/file/task_file.h"
#include "tasks/task_description.h"

namespace pairs::own {

// Custom tasks, which are described in files. Thread-safe. A file is read again whenever it is opened; a name then
// refers to the last task read under it, where a user's own file takes precedence over a run's copy.
class OwnTasks {
 public:
  // None may have one of the names `built_in`.
  explicit OwnTasks(std::vector<std::string> built_in) : built_in_(std::move(built_in)) {}

  // Describes a task.toml, or a folder that holds one. Throws a usage Error, also for the name of a built-in task.
  TaskDescription describe(const std::filesystem::path& file) const;
  // Describes a text as if it were the content of `file`.
  TaskDescription describe_text(const std::string& text, const std::filesystem::path& file) const;
  // Whether the file behind the name has changed, or is gone.
  bool changed_since_opened(const std::string& name) const;

  // Opens a task.toml, or a folder that holds one, and returns its name. Throws as `describe` does.
  std::string open(const std::filesystem::path& file);
  // Names of the tasks opened so far, in that order.
  std::vector<std::string> names() const;

  // The task of a file or, if that is "", of the name; null if no task of that name was opened. `simulations`: its
  // budget of simulations (core/simulation_budget.h); 0: unlimited. Throws a usage error if it has no program, or if
  // the budget is too small.
  std::shared_ptr<const Task> make(const std::string& name, const std::string& file, std::int64_t simulations = 0);
  // Whether a program simulates its sets.
  bool simulates(const std::string& name) const;

  // Forgets the tasks made from a file, or from a folder that holds one: the next use reads the file and starts its
  // program again. Existing tasks are unaffected.
  void renew(const std::filesystem::path& file);

  // The copy of the file that a new run of its task keeps.
  std::string recorded_text(const std::filesystem::path& file);

 private:
  struct Made {
    std::string text;  // the text that it was made from
    std::shared_ptr<const Task> task;
  };
  TaskFile checked(TaskFile file) const;
  std::shared_ptr<const Task> task_of(const TaskFile& file, std::int64_t simulations = 0);

  const std::vector<std::string> built_in_;
  mutable std::mutex mutex_;
  std::vector<std::string> names_;
  std::map<std::string, TaskFile> files_;        // by name
  std::map<std::string, std::string> programs_;  // by name: their program_state when they were read
  std::map<std::string, Made> made_;             // by file and budget
};

// A sentence on how the user's own file differs from the run's copy, "" if it does not or is gone.
std::string changed_since(const std::filesystem::path& copy);

}  // namespace pairs::own
