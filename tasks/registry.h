#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/task.h"
#include "tasks/parts/data_sets.h"
#include "tasks/self_check.h"
#include "tasks/task_description.h"

namespace pairs {

// Names of the tasks that are built in, in the order people meet them.
std::vector<std::string> task_names();

// A task that was left out when the program was built, and what is missing: one sentence.
struct LeftOutTask {
  std::string name, why;
};
std::vector<LeftOutTask> left_out_tasks();

// The settings of a task at their defaults; none for a name that is no task's.
TaskSettings task_settings(const std::string& name);

// What a task stands for where the program needs one of its kind: on the first start, and in examples of commands.
enum class TaskRole {
  first,  // what the window opens before anything was chosen, and the tour leads through
  exact,  // two targets, whose exact posterior is known
  data,   // observations come from real data where there is a folder of them
  views,  // observations are views of a scene
};
std::string task_in_role(TaskRole role);

// The data sets that tasks draw from where people have them; and that of one task, null where it simulates all.
const std::vector<DataSet>& data_sets();
const DataSet* data_set_of(const std::string& task);

// Checks of all tasks.
std::vector<SelfCheck> task_self_checks();

// Makes a task. Unknown names are a usage error naming the nearest one, and so are those of tasks left out.
std::shared_ptr<const Task> make_task(const std::string& name, const TaskOptions& options = {});

// Tasks of a person's own, which stand in files (docs/own-task.md).

// Whether a path is meant for the file of such a task: a file that describes targets, or a folder with a task.toml that
// is no run's.
bool is_task_file(const std::filesystem::path& path);
// What a task.toml, or a folder that holds one, says. Throws a usage error that names file and line.
TaskDescription describe_task_file(const std::filesystem::path& file);
// The same of a text, as if it stood in `file`.
TaskDescription describe_task_text(const std::string& text, const std::filesystem::path& file);
// Whether the file that an opened task was read from says something else by now, or is gone.
bool task_file_changed(const std::string& name);

// Reads a task.toml, or a folder that holds one, so that make_task() takes its name -> the name. Throws a usage error
// that names file and line; a built-in task's name is refused.
std::string open_task_file(const std::filesystem::path& file);
// The names of those opened so far.
std::vector<std::string> own_task_names();
// Agrees to run the program that such a file names, from now on; before that nothing of it is run.
void allow_task_file(const std::filesystem::path& file);

// Hands these tasks to the core, as happens when the program starts; once more after another factory took their place.
bool register_tasks();

}  // namespace pairs
