#include "app/batch/parts/printed_evaluation.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/batch/parts/drive.h"
#include "app/runs/places.h"
#include "core/base/text/error.h"

namespace pairs::batch {

Metrics evaluate_run(const LoadedRun& run, const EvaluationOptions& options, ProgressPrinter& printer) {
  Metrics metrics;
  drive([&](Monitor& monitor) { metrics = evaluate_in(monitor, run, options); }, printer);
  return metrics;
}

namespace {

// Why the stored evaluation does not suffice: the end of a sentence.
std::string not_stored(const LoadedRun& run, const EvaluationOptions* options) {
  std::optional<Metrics> stored;
  try {
    stored = read_metrics(run.config.tasks, run.folder / run_file::metrics);
  } catch (const Error&) {
    return "its stored metrics cannot be read";
  }
  if (!stored) return "none of its metrics are stored";
  if (stored->weights != weights_checksum(run)) return "its stored metrics are of other weights";
  if (stored->data != run.task->info().data_source) return "its stored metrics are of other data, " + stored->data;
  if (!options) return "its stored metrics are of other sets";
  const auto text = [](const EvaluationOptions& one) {
    const std::array<std::string, 4> words = evaluation_texts(one);
    return fmt::format("N = {} with {} sets, {} samples and seed {}", words[0], words[1], words[2], words[3]);
  };
  return fmt::format("its stored metrics are of {}, where {} are asked for", text(options_of(*stored)), text(*options));
}

}  // namespace

Metrics metrics_of(const LoadedRun& run, ProgressPrinter& printer, const EvaluationOptions* options) {
  if (const auto stored = stored_metrics(run, options)) return *stored;
  printer.line(fmt::format("{}: evaluating, as {}", run.name, not_stored(run, options)));
  Metrics metrics = evaluate_run(run, options ? *options : evaluation_options(run), printer);
  try {
    if (!is_shipped(run.folder) && !options) save_metrics(run, metrics);
  } catch (const Error& error) {
    printer.line(fmt::format("warning: the evaluation is not kept: {}", error.what()));
  }
  return metrics;
}

Metrics metrics_with_means(const LoadedRun& run, const EvaluationOptions& options, ProgressPrinter& printer) {
  if (auto stored = stored_metrics(run, &options);
      stored &&
      std::all_of(stored->rows.begin(), stored->rows.end(), [](const auto& row) { return !row.means.empty(); }))
    return *std::move(stored);
  printer.line(fmt::format("{}: evaluating on the same sets", run.name));
  return evaluate_run(run, options, printer);
}

}  // namespace pairs::batch
