#pragma once

#include "app/batch/metrics_file.h"
#include "app/batch/progress.h"
#include "core/train/run.h"

namespace pairs::batch {

// The run's own evaluation settings as options.
EvaluationOptions evaluation_options(const LoadedRun& run);

// Evaluates a run in a session: rows and progress go to the printer. Throws Stopped or Error.
Metrics evaluate_run(const LoadedRun& run, const EvaluationOptions& options, ProgressPrinter& printer);

// Writes RUN/metrics.json atomically. False, and nothing written, when the one that stands there is of the same weights
// and of more sets, or of the run's own data where this one is not.
bool save_metrics(const LoadedRun& run, const Metrics& metrics);

// The metrics stored beside the weights when they belong to these weights, else a fresh evaluation (kept for run
// folders). `options`, when set, must match what is stored.
Metrics metrics_of(const LoadedRun& run, ProgressPrinter& printer, const EvaluationOptions* options = nullptr);

}  // namespace pairs::batch
