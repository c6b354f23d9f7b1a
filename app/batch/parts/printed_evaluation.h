#pragma once

#include "app/batch/parts/progress.h"
#include "app/scores/run_evaluation.h"

namespace pairs::batch {

// Evaluates a run in a session: rows and progress go to the printer. Throws Stopped or Error.
Metrics evaluate_run(const LoadedRun& run, const EvaluationOptions& options, ProgressPrinter& printer);

// The metrics stored with the weights if they belong to them, else those of a new evaluation (stored in run folders).
// `options`, if set, must match the stored ones.
Metrics metrics_of(const LoadedRun& run, ProgressPrinter& printer, const EvaluationOptions* options = nullptr);

// The metrics of an evaluation that includes the posterior means of its sets, which older ones lack.
Metrics metrics_with_means(const LoadedRun& run, const EvaluationOptions& options, ProgressPrinter& printer);

}  // namespace pairs::batch
