#pragma once

#include <filesystem>

#include "app/batch/command.h"
#include "app/batch/progress.h"
#include "app/runs/new_run.h"
#include "core/train/run.h"
#include "tasks/catalogue.h"

namespace pairs::batch {

// Says on stderr what time and disk a run in that folder ("": one of runs/) is expected to need. Throws Error when the
// disk is too small.
void tell_expectation(const TaskCatalogue& tasks, const RunConfig& config, const std::filesystem::path& folder);

// Runs the missing stages of a run, up to and including `until`, in a session, alone or as the first of several ranks.
// Stands beside a SavesOnSignal.
void train_run(const Tasks& tasks, const std::filesystem::path& folder, Stage until, ProgressPrinter& printer,
               Ranks* ranks = nullptr);
// Whether the last thing that its log tells of the run is an error.
bool ended_by_error(const std::filesystem::path& folder);
// Says with which command a run that was stopped goes on.
void tell_continuation(const std::filesystem::path& folder, ProgressPrinter& printer);

// What `run` answers: the folder and a record for each finished stage.
Result run_result(const Tasks& tasks, const std::filesystem::path& folder);

}  // namespace pairs::batch
