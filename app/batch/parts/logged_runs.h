#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/batch/parts/arguments.h"
#include "core/train/run/run_progress.h"

namespace pairs::batch {

// A run by its folder, settings and log, whether or not it has weights yet.
struct LoggedRun {
  std::filesystem::path folder;
  std::string name;
  RunConfig config;
  RunProgress progress;
  int shade = 0;  // its shade of the strategy's color among the runs
};

// Reads runs of one task; throws Error if they are of several, or a log is missing or damaged.
std::vector<LoggedRun> logged_runs(const std::vector<std::string>& names, const OpenArguments& open);

}  // namespace pairs::batch
