#pragma once

#include "app/batch/progress.h"
#include "app/scores/run_evaluation.h"

namespace pairs::batch {

// Evaluates a run in a session: rows and progress go to the printer. Throws Stopped or Error.
Metrics evaluate_run(const LoadedRun& run, const EvaluationOptions& options, ProgressPrinter& printer);

// The metrics stored beside the weights when they belong to these weights, else a fresh evaluation (kept for run
// folders). `options`, when set, must match what is stored.
Metrics metrics_of(const LoadedRun& run, ProgressPrinter& printer, const EvaluationOptions* options = nullptr);

// The same of an evaluation that holds the posterior means of its sets, which older ones do not.
Metrics metrics_with_means(const LoadedRun& run, const EvaluationOptions& options, ProgressPrinter& printer);

}  // namespace pairs::batch
