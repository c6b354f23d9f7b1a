#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/batch/command.h"
#include "tasks/catalogue.h"

namespace pairs::batch {

// What a program with a window adds to the command line; all empty in one without.
struct Extension {
  std::vector<CommandEntry> commands;
  // Opens the window with a run, a task or a data file ("": what was open last) and a theme ("": as remembered);
  // returns when it is closed, throws Error.
  std::function<void(const std::string& open, const std::string& theme)> open;
};

// Parses the command line and runs the command, on `tasks`, or opens the window where there is no --batch: results go
// to stdout, everything else to stderr. Returns the exit code: 0 done, 1 failed, 2 wrong usage, 128 + signal when
// stopped. Never throws.
int run_program(const Catalogue& tasks, int argc, const char* const* argv, const Extension& extension = {});

}  // namespace pairs::batch
