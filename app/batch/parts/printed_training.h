#pragma once

#include <filesystem>

#include "app/batch/parts/command.h"
#include "app/batch/parts/progress.h"
#include "app/runs/new_run.h"
#include "core/train/run/run.h"
#include "tasks/catalog.h"

namespace pairs::batch {

// Prints on stderr the time and disk space that a run in that folder ("": one of runs/) is expected to need. Throws
// Error if the disk is too small.
void report_expectation(const TaskCatalog& tasks, const RunConfig& config, const std::filesystem::path& folder);

// Runs the missing stages of a run, up to and including `until`, in a session, alone or as the first of several ranks.
// Needs a SavesOnSignal.
void train_run(const Tasks& tasks, const std::filesystem::path& folder, Stage until, ProgressPrinter& printer,
               Ranks* ranks = nullptr);
// Whether the last entry of the run's log is an error.
bool ended_by_error(const std::filesystem::path& folder);
// Prints the command that resumes a stopped run.
void report_continuation(const std::filesystem::path& folder, ProgressPrinter& printer);

// The result of `run`: the folder and a record for each finished stage.
Result run_result(const Tasks& tasks, const std::filesystem::path& folder);

}  // namespace pairs::batch
