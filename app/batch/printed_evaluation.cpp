#include "app/batch/printed_evaluation.h"

#include <fmt/format.h>

#include "app/batch/drive.h"
#include "app/runs/places.h"
#include "core/base/error.h"

namespace pairs::batch {

Metrics evaluate_run(const LoadedRun& run, const EvaluationOptions& options, ProgressPrinter& printer) {
  Metrics metrics;
  drive([&](Monitor& monitor) { metrics = evaluate_in(monitor, run, options); }, printer);
  return metrics;
}

Metrics metrics_of(const LoadedRun& run, ProgressPrinter& printer, const EvaluationOptions* options) {
  if (const auto stored = stored_metrics(run, options)) return *stored;
  printer.line(fmt::format("{}: evaluating, as no metrics of these weights and settings are stored", run.name));
  Metrics metrics = evaluate_run(run, options ? *options : evaluation_options(run), printer);
  try {
    if (!is_shipped(run.folder) && !options) save_metrics(run, metrics);
  } catch (const Error& error) {
    printer.line(fmt::format("warning: the evaluation is not kept: {}", error.what()));
  }
  return metrics;
}

}  // namespace pairs::batch
