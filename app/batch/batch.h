#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/batch/parts/command.h"
#include "tasks/catalog.h"

namespace pairs::batch {

// The additions to the command line of a program with a window; empty without one.
struct Extension {
  std::vector<CommandEntry> commands;
  // Opens the window with a run, a task or a data file ("": the last state) and a theme ("": the last one); returns
  // when it is closed, throws Error.
  std::function<void(const std::string& open, const std::string& theme)> open;
};

// Parses the command line and runs the command on `tasks`, or opens the window without --batch: results go to stdout,
// everything else to stderr. Returns the exit code: 0 done, 1 failed, 2 wrong usage, 128 + signal when stopped. Never
// throws.
int run_program(const Catalog& tasks, int argc, const char* const* argv, const Extension& extension = {});

}  // namespace pairs::batch
