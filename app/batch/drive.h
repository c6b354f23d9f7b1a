#pragma once

#include <functional>

#include "app/batch/progress.h"
#include "core/train/session.h"

namespace pairs::batch {

// Runs a job on a session's worker thread while this thread prints its events and progress about ten times a second.
// The first SIGINT, SIGTERM or SIGHUP asks the job to stop; one that has not ended 11 seconds later is given up with
// the process, whose files are whole at any time. Throws Stopped when it stopped, and the job's own error when it
// failed. `seen`, when set, is given every event.
void drive(const Session::Job& job, ProgressPrinter& printer, const std::function<void(const Event&)>& seen = {});

// For loops outside a session: true while no signal asked to stop.
bool keep_going();

}  // namespace pairs::batch
