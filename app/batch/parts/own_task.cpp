#include "app/batch/parts/own_task.h"

#include <CLI/CLI.hpp>

#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/train/run/run.h"
#include "tasks/file_facts.h"

namespace pairs::batch {
namespace {

namespace fs = std::filesystem;

bool names_task_file(const std::string& word) {
  std::error_code error;
  const fs::path path = word;
  if (fs::is_directory(path, error))
    return fs::exists(path / run_file::task, error) && !fs::exists(path / run_file::config, error);
  return path.extension() == ".toml";
}

}  // namespace

void add_allow_option(CLI::App& app, bool& allow) {
  app.add_flag("--allow", allow, "Permit running the program of a custom task");
}

void add_own_task_options(CLI::App& app, OwnTaskOptions& options) {
  app.add_option("--task-file", options.file, "A task of your own: its task.toml, or the folder that holds it")
      ->type_name("FILE");
  add_allow_option(app, options.allow);
}

std::string task_named(const std::string& word, const OwnTaskOptions& options) {
  std::string file = options.file;
  if (!file.empty() && !word.empty())
    fail_usage("{} and --task-file {} both name a task; give one", printable(word, 300), printable(file, 300));
  if (file.empty() && names_task_file(word)) file = word;
  if (file.empty()) {
    if (options.allow)
      fail_usage("--allow agrees to the program of a task of your own; name its file with --task-file{}",
                 word.empty() ? "" : fmt::format(", for {} runs none", printable(word, 300)));
    return word;
  }
  const std::string name = options.tasks->open(file);
  if (options.allow) allow_task_file(file);
  return name;
}

void allow_run(const fs::path& run) {
  const fs::path file = run / run_file::task;
  if (!fs::exists(file))
    fail_usage("--allow agrees to the program of a task of your own, but that of {} is built in; leave it out",
               printable(run.string(), 300));
  allow_task_file(file);
}

}  // namespace pairs::batch
