#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/task_library.h"
#include "tasks/parts/task_entry.h"
#include "tasks/task_description.h"

namespace pairs {

namespace own {
class OwnTasks;
}

// A task that was left out when the program was built, and what is missing: one sentence.
struct LeftOutTask {
  std::string name, why;
};

// The tasks of a program: those of its entries, and those of a person's own that were opened. Thread-safe.
class TaskCatalogue final : public TaskLibrary {
 public:
  explicit TaskCatalogue(std::vector<TaskEntry> entries, std::vector<LeftOutTask> left_out = {});
  ~TaskCatalogue() override;

  std::vector<std::string> names() const override;
  // Unknown names are a usage error naming the nearest one, and so are those of tasks left out.
  std::shared_ptr<const Task> make(const std::string& name, const TaskOptions& options = {}) const override;
  TaskSettings default_settings(const std::string& name) const override;

  const std::vector<LeftOutTask>& left_out() const { return left_out_; }
  // The data sets that tasks draw from where people have them; and that of one task, null where it simulates all.
  const std::vector<DataSet>& data_sets() const { return data_sets_; }
  const DataSet* data_set_of(const std::string& task) const;
  // Checks of all tasks.
  std::vector<SelfCheck> self_checks() const;

  // Tasks of a person's own, which stand in files (docs/own-task.md).

  // Throws a usage error that names file and line; a built-in task's name is refused.
  std::string open(const std::filesystem::path& file) override;
  std::string recorded(const std::filesystem::path& file) const override;
  std::string changed(const std::filesystem::path& copy) const override;
  std::string preset(const TaskInfo& task, const std::string& preset) const override;
  // The names of those opened so far.
  std::vector<std::string> own_names() const;
  // What a task.toml, or a folder that holds one, says. Throws a usage error that names file and line.
  TaskDescription describe(const std::filesystem::path& file) const;
  // The same of a text, as if it stood in `file`.
  TaskDescription describe_text(const std::string& text, const std::filesystem::path& file) const;
  // Whether the file that an opened task was read from says something else by now, or is gone.
  bool file_changed(const std::string& name) const;
  // Whoever asks next for the task of a file, or of a folder that holds one, reads it anew and starts its program anew,
  // which may say something else by now. Those that have the task keep it.
  void renew(const std::filesystem::path& file);

 private:
  const TaskEntry* find(const std::string& name) const;

  std::vector<TaskEntry> entries_;
  std::vector<LeftOutTask> left_out_;
  std::vector<DataSet> data_sets_;
  std::unique_ptr<own::OwnTasks> own_;
};

// A catalogue as it is handed on.
using Catalogue = std::shared_ptr<TaskCatalogue>;

}  // namespace pairs
