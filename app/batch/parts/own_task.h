#pragma once

#include <filesystem>
#include <string>

#include "tasks/catalog.h"

namespace CLI {
class App;
}

namespace pairs::batch {

// The options by which a command names a custom task's file.
struct OwnTaskOptions {
  Catalog tasks;  // the tasks to which it is added
  std::string file;
  bool allow = false;
};
// Adds --task-file and --allow.
void add_own_task_options(CLI::App& app, OwnTaskOptions& options);
// Adds only --allow, for commands that open runs.
void add_allow_option(CLI::App& app, bool& allow);

// The name of the task that `word` or --task-file denotes: opens a task.toml, or a folder that holds one, and permits
// its program with --allow; returns other words unchanged. Throws a usage error.
std::string task_named(const std::string& word, const OwnTaskOptions& options);
// Permits the program of the run's task. Throws a usage error for a built-in task.
void allow_run(const std::filesystem::path& run);

}  // namespace pairs::batch
