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

// A task that was not built, and what was missing: one sentence.
struct LeftOutTask {
  std::string name, why;
};

// The tasks of a program: the built-in ones in its entries, and custom tasks that were opened. Thread-safe.
class TaskCatalog final : public TaskLibrary {
 public:
  explicit TaskCatalog(std::vector<TaskEntry> entries, std::vector<LeftOutTask> left_out = {});
  ~TaskCatalog() override;

  std::vector<std::string> names() const override;
  // Throws a usage error for unknown names, naming the nearest one, and for tasks that were not built.
  std::shared_ptr<const Task> make(const std::string& name, const TaskOptions& options = {}) const override;
  TaskSettings default_settings(const std::string& name) const override;

  const std::vector<LeftOutTask>& left_out() const { return left_out_; }
  // The data sets that tasks can use; and the data set of one task, null if it needs none.
  const std::vector<DataSet>& data_sets() const { return data_sets_; }
  const DataSet* data_set_of(const std::string& task) const;
  // Self-checks of all tasks.
  std::vector<SelfCheck> self_checks() const;

  // Custom tasks, which are described in files (docs/how-to/own-task.md).

  // Throws a usage error that names file and line; refuses the name of a built-in task.
  std::string open(const std::filesystem::path& file) override;
  std::string recorded(const std::filesystem::path& file) const override;
  std::string changed(const std::filesystem::path& copy) const override;
  std::string preset(const TaskInfo& task, const std::string& preset) const override;
  // The names of the custom tasks opened so far.
  std::vector<std::string> own_names() const;
  // Describes a task.toml, or a folder that holds one. Throws a usage error that names file and line.
  TaskDescription describe(const std::filesystem::path& file) const;
  // Describes a text as if it were the content of `file`.
  TaskDescription describe_text(const std::string& text, const std::filesystem::path& file) const;
  // Whether the file of an opened task has changed since it was read, or is gone.
  bool file_changed(const std::string& name) const;
  // Makes the next use of a task's file, or of a folder that holds one, read it again and restart its program, because
  // it may have changed. Existing tasks are unaffected.
  void renew(const std::filesystem::path& file);

 private:
  const TaskEntry* find(const std::string& name) const;

  std::vector<TaskEntry> entries_;
  std::vector<LeftOutTask> left_out_;
  std::vector<DataSet> data_sets_;
  std::unique_ptr<own::OwnTasks> own_;
};

// A shared catalog.
using Catalog = std::shared_ptr<TaskCatalog>;

}  // namespace pairs
