#include "app/scores/run_evaluation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "core/base/fields/face.h"
#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "core/eval/evaluate/set_digest.h"
#include "core/stored_sets.h"
#include "core/train/run/simulator_record.h"

namespace pairs {
namespace {

std::int64_t sets_at(const EvaluationOptions& options, std::size_t i) {
  return options.sets.size() == 1 ? options.sets[0] : options.sets.at(i);
}

// The number of sets evaluated at size i, limited by the number of subjects (0: unlimited) and by the sets that the
// task stores.
std::int64_t evaluated_at(const Task& task, const EvaluationOptions& options, std::size_t i, std::int64_t subjects) {
  std::int64_t sets = sets_at(options, i);
  if (subjects > 0) sets = std::min(sets, subjects);
  if (const StoredSets* stored = task.stored()) sets = std::min(sets, stored->sets(Purpose::test, options.sizes[i]));
  return sets;
}

bool matches(const Metrics& metrics, const Task& task, const EvaluationOptions& options) {
  if (metrics.seed != static_cast<std::int64_t>(options.seed) || metrics.rows.size() != options.sizes.size())
    return false;
  for (std::size_t i = 0; i < options.sizes.size(); ++i)
    if (metrics.rows[i].n != options.sizes[i] ||
        metrics.rows[i].sets != evaluated_at(task, options, i, metrics.subjects) ||
        metrics.rows[i].samples != options.samples)
      return false;
  return true;
}

constexpr std::int64_t kProbedSets = 4;

// Whether both have the same weights and data, and one of them has outdated test sets.
bool outdated(const Metrics& stored, const Metrics& fresh) {
  if (stored.seed != fresh.seed || stored.rows.empty() || fresh.rows.empty()) return false;
  return shared_sets(stored.rows.front().tested, fresh.rows.front().tested) == 0;
}

std::string sampler_text(const LoadedRun& run) {
  const std::vector<std::int64_t> sizes = run.estimator->sizes();
  const SteppedSampler* sampler = face<SteppedSampler>(run.estimator->head(sizes.empty() ? 1 : sizes.front()));
  return sampler != nullptr ? sampler->sampler_text() : "";
}

}  // namespace

EvaluationOptions evaluation_options(const LoadedRun& run) {
  EvaluationOptions options;
  const EvaluateConfig& own = run.config.evaluate;
  const std::vector<std::int64_t> heads = run.estimator->sizes();
  const auto served = [&](std::int64_t n) {
    if (!heads.empty()) return std::find(heads.begin(), heads.end(), n) != heads.end();
    return own.extrapolate || run.estimator->max_n() == 0 || !extrapolates(run, n);
  };
  for (std::size_t i = 0; i < own.sizes.size(); ++i) {
    if (!served(own.sizes[i])) continue;
    options.sizes.push_back(own.sizes[i]);
    if (own.sets.size() > 1) options.sets.push_back(own.sets[i]);
  }
  if (options.sizes.empty()) options.sizes = heads.empty() ? std::vector{run.estimator->max_n()} : heads;
  if (options.sets.size() != options.sizes.size()) options.sets = {own.sets.front()};
  options.samples = own.samples;
  for (const std::string& name : run.task->references())
    if (name != "exact") options.references.push_back(name);
  return options;
}

EvaluationOptions options_of(const Metrics& metrics) {
  EvaluationOptions options;
  for (const EvaluationRow& row : metrics.rows) {
    options.sizes.push_back(row.n);
    options.sets.push_back(row.sets);
    options.samples = row.samples;
  }
  if (std::adjacent_find(options.sets.begin(), options.sets.end(), std::not_equal_to<>()) == options.sets.end() &&
      !options.sets.empty())
    options.sets.resize(1);
  options.seed = static_cast<std::uint64_t>(metrics.seed);
  return options;
}

std::array<std::string, 4> evaluation_texts(const EvaluationOptions& options) {
  return {fmt::format("{}", fmt::join(options.sizes, ",")), fmt::format("{}", fmt::join(options.sets, ",")),
          std::to_string(options.samples), std::to_string(options.seed)};
}

Metrics evaluate_in(Monitor& monitor, const LoadedRun& run, const EvaluationOptions& options,
                    const std::function<void(const Metrics&)>& so_far) {
  Metrics metrics;
  metrics.task = run.config.task;
  metrics.run = run.name;
  metrics.data = run.task->info().data_source;
  metrics.strategy = run.config.strategy;
  metrics.preset = run.config.preset;
  metrics.settings = setting_texts(run.config.task_settings);
  metrics.seed = static_cast<std::int64_t>(options.seed);
  metrics.training_seed = run.config.seed;
  metrics.weights = weights_checksum(run);
  metrics.sampler = sampler_text(run);
  const auto stop = [&] { return monitor.should_stop(); };
  if (const std::string changed = changed_simulator(run.folder, *run.task, stop); !changed.empty()) {
    metrics.caution = changed + "; its scores are those of another model's sets";
    Event event;
    event.type = EventType::warning;
    event.stage = Stage::evaluate;
    event.values = {{"text", metrics.caution}};
    monitor.event(event);
  }
  Progress progress;
  progress.stage = Stage::evaluate;
  run.task->prepare({stop, [&](const std::string& what, std::int64_t made, std::int64_t total) {
                       progress.unit = what;
                       progress.done = made;
                       progress.total = total;
                       monitor.progress(progress);
                     }});
  metrics.subjects = run.task->subjects(Purpose::test);
  if (metrics.subjects > 0) metrics.subject_word = run.task->info().subjects;
  progress.unit = "sets";
  progress.done = progress.total = 0;
  for (std::size_t i = 0; i < options.sizes.size(); ++i)
    progress.total += evaluated_at(*run.task, options, i, metrics.subjects);
  monitor.progress(progress);
  const auto row = [&](EvaluationRow done) {
    done.extrapolation = extrapolates(run, done.n);
    Event event;
    event.type = EventType::row;
    event.stage = Stage::evaluate;
    event.values = {{"n", done.n}};
    if (std::isnan(done.mse_prior))
      event.values["nll"] = done.nll;
    else
      event.values["mse"] = done.mse;
    monitor.event(event);
    metrics.rows.push_back(std::move(done));
    if (so_far) so_far(metrics);
  };
  const auto step = [&](std::int64_t sets) {
    progress.done = sets;
    monitor.progress(progress);
  };
  evaluate(
      *run.estimator, options, [&] { return !monitor.should_stop(); }, row, step);
  return metrics;
}

bool still_tested(const Metrics& metrics, const Task& task) {
  if (task.info().file.empty() || metrics.rows.empty() || metrics.rows.front().tested.empty()) return true;
  const std::vector<std::uint16_t>& tested = metrics.rows.front().tested;
  const std::int64_t count = std::min<std::int64_t>(kProbedSets, static_cast<std::int64_t>(tested.size()));
  try {
    return shared_sets(first_digests(task, static_cast<std::uint64_t>(metrics.seed), count), tested) > 0;
  } catch (const Error&) {
    return true;
  }
}

namespace {

// The checksum of the current weights in the run's folder, "" if there are none.
std::string weights_now(const LoadedRun& run) {
  try {
    return weights_checksum(run);
  } catch (const Error&) {
    return "";
  }
}

}  // namespace

bool save_metrics(const LoadedRun& run, const Metrics& metrics) {
  PAIRS_CHECK(metrics.weights == weights_now(run),
              "{} was moved or replaced while it was evaluated: these scores are of other weights than those there "
              "now, and are not written next to them",
              run.folder.string());
  const auto weight = [](const Metrics& one) {
    std::int64_t sum = 0;
    for (const EvaluationRow& row : one.rows) sum += row.sets * (row.samples > 0 ? 2 : 1);
    return sum;
  };
  std::optional<Metrics> stored;
  try {
    stored = read_metrics(run.config.tasks, run.folder / run_file::metrics);
  } catch (const Error&) {
    // An unreadable file is replaced.
  }
  if (stored && stored->weights == metrics.weights) {
    const std::string& own = run.estimator->data_source();
    const bool other_data = stored->data == own && metrics.data != own;
    if (other_data) return false;
    if (stored->data == metrics.data && weight(*stored) > weight(metrics) && !outdated(*stored, metrics)) return false;
  }
  // No lock: the file is renamed into place and names its weights, so that a run in training is safe.
  write_file(run.folder / run_file::metrics, metrics_text(metrics));
  return true;
}

std::optional<Metrics> stored_metrics(const LoadedRun& run, const EvaluationOptions* options) {
  std::optional<Metrics> stored = read_metrics(run.config.tasks, run.folder / run_file::metrics);
  if (stored && stored->weights == weights_checksum(run) && stored->data == run.task->info().data_source &&
      (!options || matches(*stored, *run.task, *options)) && still_tested(*stored, *run.task))
    return stored;
  return {};
}

ScoresOnDisk scores_on_disk(const Tasks& tasks, const std::filesystem::path& weights, const std::string& data) {
  ScoresOnDisk found;
  found.weights = weights_checksum(weights);
  std::optional<Metrics> stored = read_metrics(tasks, weights.parent_path() / run_file::metrics);
  if (!stored || stored->rows.empty())
    found.why = "It has not been evaluated yet";
  else if (stored->weights != found.weights)
    found.why = "Its scores are of earlier weights; evaluate it again";
  else if (stored->data != data)
    found.why = fmt::format("Its scores are of sets from {}, and {} is in use; evaluate it again", stored->data, data);
  else
    found.metrics = std::move(stored);
  return found;
}

}  // namespace pairs
