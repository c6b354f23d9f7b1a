#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/task.h"
#include "tasks/own/task_file.h"
#include "tasks/task_description.h"

namespace pairs::own {

// Tasks that stand in files. Thread-safe. A file is read again whenever it is opened; the name then stands for what was
// read last under it, in a person's own file rather than in a copy that a run keeps.
class OwnTasks {
 public:
  // None may have one of the names `built_in`.
  explicit OwnTasks(std::vector<std::string> built_in) : built_in_(std::move(built_in)) {}

  // What a task.toml, or a folder that holds one, says. Throws a usage Error, also for a name that is built in.
  TaskDescription describe(const std::filesystem::path& file) const;
  // The same of a text, as if it stood in `file`.
  TaskDescription describe_text(const std::string& text, const std::filesystem::path& file) const;
  // Whether the file that the name stands for says something else by now, or is gone.
  bool changed_since_opened(const std::string& name) const;

  // Opens a task.toml, or a folder that holds one, and tells its name. Throws as `describe`.
  std::string open(const std::filesystem::path& file);
  // Names of the tasks opened so far, in that order.
  std::vector<std::string> names() const;

  // The task of a file, or, where that is "", of the name; null where none of that name was opened. `simulations`: that
  // its program makes in all (core/simulation_budget.h); 0: no end. Throws a usage error where it has no program, or
  // the budget is too small.
  std::shared_ptr<const Task> make(const std::string& name, const std::string& file, std::int64_t simulations = 0);
  // Whether a program simulates its sets.
  bool simulates(const std::string& name) const;

  // Forgets what was made of a file or a folder that holds one: whoever asks for it next reads all of it anew and
  // starts its program anew. Those that have it keep what they have.
  void renew(const std::filesystem::path& file);

  // The text of the copy that a new run of the task in `file` keeps.
  std::string recorded_text(const std::filesystem::path& file);

 private:
  struct Made {
    std::string text;  // that it was made of
    std::shared_ptr<const Task> task;
  };
  TaskFile checked(TaskFile file) const;
  std::shared_ptr<const Task> task_of(const TaskFile& file, std::int64_t simulations = 0);

  const std::vector<std::string> built_in_;
  mutable std::mutex mutex_;
  std::vector<std::string> names_;
  std::map<std::string, TaskFile> files_;        // by name
  std::map<std::string, std::string> programs_;  // of the same, their program_state when they were read
  std::map<std::string, Made> made_;       // by file and budget
};

// A sentence on what the person's own file says otherwise than the run's copy, "" where it says the same or is gone.
std::string changed_since(const std::filesystem::path& copy);

}  // namespace pairs::own
