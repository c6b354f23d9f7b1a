#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>

#include "app/scores/metrics_file.h"
#include "core/train/run/run.h"

namespace pairs {

// The run's own evaluation settings as options, at its training sizes.
EvaluationOptions evaluation_options(const LoadedRun& run);

// Evaluates a run; reports each finished size (an event "row") and the number of finished sets to the monitor, and asks
// it whether to stop. `so_far` receives the metrics after each finished size. Throws Stopped or Error.
Metrics evaluate_in(Monitor& monitor, const LoadedRun& run, const EvaluationOptions& options,
                    const std::function<void(const Metrics&)>& so_far = {});

// The options of an evaluation, without its references.
EvaluationOptions options_of(const Metrics& metrics);

// Options as arguments of `evaluate` and `compare`, in the order of kEvaluationArguments.
inline constexpr std::array<const char*, 4> kEvaluationArguments = {"--sizes", "--sets", "--samples", "--seed"};
std::array<std::string, 4> evaluation_texts(const EvaluationOptions& options);

// Whether the first test sets of a task are still those of the metrics. For built-in tasks they are; a custom task's
// program or prior may have changed since, which is checked by drawing them anew (its program may be started). If that
// is impossible, they count as unchanged.
bool still_tested(const Metrics& metrics, const Task& task);

// Writes RUN/metrics.json atomically. Returns false and writes nothing if the existing file has the same weights and
// more sets, or is on the run's own data and this one is not. Replaces an unreadable file. Throws Error if the weights
// in the folder are no longer those that were scored.
bool save_metrics(const LoadedRun& run, const Metrics& metrics);

// The metrics stored with the weights if they belong to these weights and this data, match the `options` if given, and
// the test sets are unchanged.
std::optional<Metrics> stored_metrics(const LoadedRun& run, const EvaluationOptions* options = nullptr);

// The stored metrics of a run that is not loaded: those with the weights in `weights` (a file of the run's folder), for
// these weights and sets from `data` (TaskInfo::data_source). `why`: a sentence if there are none. Does not check
// whether a custom task now draws other test sets, since that would start its program. Throws Error for damaged scores.
struct ScoresOnDisk {
  std::string weights;  // checksum of the weights
  std::optional<Metrics> metrics;
  std::string why;
};
ScoresOnDisk scores_on_disk(const Tasks& tasks, const std::filesystem::path& weights, const std::string& data);

}  // namespace pairs
