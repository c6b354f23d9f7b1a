#pragma once

#include <functional>

#include "app/batch/progress.h"
#include "core/train/session.h"

namespace pairs::batch {

// Runs a job on a session's worker thread while this thread prints its events and progress about ten times a second.
// The first SIGINT or SIGTERM asks the job to stop. Throws Stopped when it did, and the job's own error when it failed.
// `seen`, when set, is given every event.
void drive(const Session::Job& job, ProgressPrinter& printer, const std::function<void(const Event&)>& seen = {});

// For loops outside a session: true while no signal asked to stop.
bool keep_going();

}  // namespace pairs::batch
