#pragma once

#include <filesystem>
#include <string>

#include "tasks/catalogue.h"

namespace CLI {
class App;
}

namespace pairs::batch {

// How a command is told of a task that stands in a file of a person's own.
struct OwnTaskOptions {
  Catalogue tasks;  // among which it is opened
  std::string file;
  bool allow = false;
};
// --task-file, and --allow.
void add_own_task_options(CLI::App& app, OwnTaskOptions& options);
// --allow alone, for commands that open runs.
void add_allow_option(CLI::App& app, bool& allow);

// The name of the task that `word`, or --task-file, stands for: a task.toml, or a folder that holds one, is opened, and
// its program agreed to where --allow says so; other words stay as they are. Throws a usage error.
std::string task_named(const std::string& word, const OwnTaskOptions& options);
// Agrees to the program of the task of a run. Throws a usage error where the run's task is built in.
void allow_run(const std::filesystem::path& run);

}  // namespace pairs::batch
