#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tasks/catalog.h"

namespace CLI {
class App;
}

namespace pairs::batch {

// The result of a command: `document` is printed with --json, `text` (whole lines) without it.
struct Result {
  nlohmann::json document;
  std::string text;
  int exit_code = 0;
  bool one_line = false;  // whether the document is printed on one line
  bool silent = false;    // another process prints the result
};

// Executes a parsed command. Throws Error or Stopped.
using Action = std::function<Result()>;

// Declares a command's options on its subcommand and returns its action, on `tasks`; one file each,
// <name>_command.cpp.
Action add_run(CLI::App& app, const Catalog& tasks);
Action add_likelihood(CLI::App& app, const Catalog& tasks);
Action add_benchmark(CLI::App& app, const Catalog& tasks);
Action add_evaluate(CLI::App& app, const Catalog& tasks);
Action add_infer(CLI::App& app, const Catalog& tasks);
Action add_report(CLI::App& app, const Catalog& tasks);
Action add_embed(CLI::App& app, const Catalog& tasks);
Action add_frequentist(CLI::App& app, const Catalog& tasks);
Action add_external_validation(CLI::App& app, const Catalog& tasks);
Action add_compare(CLI::App& app, const Catalog& tasks);
Action add_ensemble(CLI::App& app, const Catalog& tasks);
Action add_tag(CLI::App& app, const Catalog& tasks);
Action add_figure(CLI::App& app, const Catalog& tasks);
Action add_session(CLI::App& app, const Catalog& tasks);
Action add_study(CLI::App& app, const Catalog& tasks);
Action add_queue(CLI::App& app, const Catalog& tasks);
Action add_tasks(CLI::App& app, const Catalog& tasks);
Action add_presets(CLI::App& app, const Catalog& tasks);
Action add_data(CLI::App& app, const Catalog& tasks);
Action add_devices(CLI::App& app, const Catalog& tasks);
Action add_selftest(CLI::App& app, const Catalog& tasks);
Action add_render(CLI::App& app, const Catalog& tasks);
Action add_convert(CLI::App& app, const Catalog& tasks);
Action add_demo(CLI::App& app, const Catalog& tasks);

// A command of the program. A stop signal ends it at once unless a SavesOnSignal exists (exit_on_signal.h).
struct CommandEntry {
  const char* name;
  const char* summary;
  Action (*add)(CLI::App&, const Catalog&);
};
const std::vector<CommandEntry>& commands();

}  // namespace pairs::batch
