#pragma once

#include <functional>

#include "app/batch/parts/progress.h"
#include "core/train/run/session.h"

namespace pairs::batch {

// Runs a job on a session's worker thread while this thread prints its events and progress about ten times a second.
// The first SIGINT, SIGTERM or SIGHUP asks the job to stop; if it has not ended 11 seconds later, the process ends,
// whose files are consistent at any time. Throws Stopped if it stopped, and the job's own error if it failed. `seen`,
// if set, receives every event.
void drive(const Session::Job& job, ProgressPrinter& printer, const std::function<void(const Event&)>& seen = {});

// For loops outside a session: true until a signal requests a stop.
bool keep_going();

}  // namespace pairs::batch
