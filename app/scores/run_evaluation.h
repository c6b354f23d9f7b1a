#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>

#include "app/scores/metrics_file.h"
#include "core/train/run.h"

namespace pairs {

// The run's own evaluation settings as options, at sizes that it was trained for.
EvaluationOptions evaluation_options(const LoadedRun& run);

// Evaluates a run, telling the monitor each finished size (an event "row") and the sets that are done, and asking it
// whether to stop. `so_far` sees the metrics after each finished size. Throws Stopped or Error.
Metrics evaluate_in(Monitor& monitor, const LoadedRun& run, const EvaluationOptions& options,
                    const std::function<void(const Metrics&)>& so_far = {});

// The options that metrics were made with, but for their references.
EvaluationOptions options_of(const Metrics& metrics);

// Options as the commands `evaluate` and `compare` take them, in the order of kEvaluationArguments.
inline constexpr std::array<const char*, 4> kEvaluationArguments = {"--sizes", "--sets", "--samples", "--seed"};
std::array<std::string, 4> evaluation_texts(const EvaluationOptions& options);

// Whether the first test sets of a task are still those that metrics were made of. Of built-in tasks they are; the
// program or the prior of a person's own may have changed since, which is found by making them anew (its program may be
// started). Where it cannot be asked, nothing is known to have changed.
bool still_tested(const Metrics& metrics, const Task& task);

// Writes RUN/metrics.json atomically. False, and nothing written, when the one that stands there is of the same weights
// and of more sets, or of the run's own data where this one is not. One that cannot be read is replaced. Throws Error
// where the weights in the folder are no longer those that were scored.
bool save_metrics(const LoadedRun& run, const Metrics& metrics);

// The metrics stored beside the weights when they belong to these weights and this data and, where `options` are given,
// were made with them, and the test sets are still the same.
std::optional<Metrics> stored_metrics(const LoadedRun& run, const EvaluationOptions* options = nullptr);

// The same of a run that is not loaded: those beside the weights in `weights` (a file of the run's folder), of them and
// of sets from `data` (TaskInfo::data_source). `why`, where there are none: a sentence. Whether a person's own task
// draws other test sets by now is not asked, for its program would have to be started. Throws Error on damaged scores.
struct ScoresOnDisk {
  std::string weights;  // their checksum
  std::optional<Metrics> metrics;
  std::string why;
};
ScoresOnDisk scores_on_disk(const Tasks& tasks, const std::filesystem::path& weights, const std::string& data);

}  // namespace pairs
