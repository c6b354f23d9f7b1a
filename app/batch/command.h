#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace pairs::batch {

// What a command answers: `document` is printed with --json, `text` (whole lines) without it.
struct Result {
  nlohmann::json document;
  std::string text;
  int exit_code = 0;
  bool one_line = false;  // how the document is printed
};

// What a parsed command does. Throws Error or Stopped.
using Action = std::function<Result()>;

// Declares a command's options on its subcommand and returns its action; one file each, <name>_command.cpp.
Action add_run(CLI::App& app);
Action add_evaluate(CLI::App& app);
Action add_infer(CLI::App& app);
Action add_tried(CLI::App& app);
Action add_compare(CLI::App& app);
Action add_figure(CLI::App& app);
Action add_tasks(CLI::App& app);
Action add_presets(CLI::App& app);
Action add_data(CLI::App& app);
Action add_devices(CLI::App& app);
Action add_selftest(CLI::App& app);
Action add_render(CLI::App& app);
Action add_demo(CLI::App& app);

// A command as people meet it. A stop signal ends it at once but where a SavesOnSignal lives (exit_on_signal.h).
struct CommandEntry {
  const char* name;
  const char* summary;
  Action (*add)(CLI::App&);
};
const std::vector<CommandEntry>& commands();

}  // namespace pairs::batch
