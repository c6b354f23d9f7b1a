#include "app/model/compare/run_record.h"

#include <fmt/format.h>

#include "app/runs/run_labels.h"
#include "app/runs/task_options.h"
#include "app/scores/learned.h"
#include "app/scores/run_evaluation.h"
#include "core/base/text/error.h"
#include "core/train/run/cost.h"
#include "core/train/run/run.h"
#include "core/train/settings/unread.h"

namespace pairs::model {
namespace {

namespace fs = std::filesystem;

// Drops data that a table of many runs does not need and that would take megabytes.
void strip(Metrics& metrics) {
  for (EvaluationRow& row : metrics.rows) {
    row.ranks = {};
    row.means = row.sds = {};
  }
}

void read_settings(RunConfig& config, RunFacts& facts) {
  for (const Field& field : read_fields(config)) {
    std::string text = field_text(field);
    if (decides_weights(field.key)) facts.alike += field.key + "=" + text + "\n";
    facts.settings[field.key] = std::move(text);
  }
  if (config.ensemble.empty()) return;
  facts.settings["ensemble.runs"] = std::to_string(config.ensemble.size());
  for (const EnsembleMember& one : config.ensemble) facts.alike += "ensemble=" + one.weights + "\n";
}

// Training time of all stages over all sessions.
double seconds_of(const RunProgress& progress) {
  double seconds = 0;
  bool any = false;
  for (const Stage stage : {Stage::pretrain, Stage::cache, Stage::finetune}) {
    const StageRecord& record = progress.stage(stage);
    any = any || record.begun;
    seconds += record.before + record.seconds;
  }
  return any ? seconds : NAN;
}

// The settings that determine the shapes of the networks.
std::string networks_key(const RunFacts& facts) {
  std::string key;
  for (const auto& [name, text] : facts.settings)
    if (!name.starts_with("pretrain.") && !name.starts_with("cache.") && !name.starts_with("evaluate.") &&
        decides_weights(name) && (!name.starts_with("finetune.") || name == "finetune.regression"))
      key += name + "=" + text + "\n";
  return key;
}

void read_scores(const Tasks& tasks, const ListedRun& run, RunFacts& facts) {
  if (!run.pretrained && !run.finished) {
    facts.no_scores = "It has no weights yet";
    return;
  }
  const fs::path weights = run.folder / (run.finished ? run_file::estimator : run_file::pretrained);
  ScoresOnDisk found = scores_on_disk(tasks, weights, run.data_here);
  facts.weights = found.weights;
  facts.no_scores = found.why;
  if (!found.metrics) return;
  facts.learned_nothing = facts.learned_nothing || learned_nothing(found.metrics->rows);
  strip(*found.metrics);
  facts.metrics = std::make_shared<const Metrics>(std::move(*found.metrics));
}

}  // namespace

std::shared_ptr<const RunFacts> FactStore::find(const ListedRun& run) const {
  const std::lock_guard lock(mutex_);
  const auto found = facts_.find(run.run);
  if (found == facts_.end() || found->second->signature != run.signature || found->second->data_here != run.data_here)
    return nullptr;
  return found->second;
}

NetworkFlops FactStore::flops_of(const RunConfig& config, bool finished, const RunFacts& facts) {
  const std::string key = networks_key(facts) + (finished ? "finished" : "");
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = flops_.find(key); known != flops_.end()) return known->second;
  }
  const auto task = config.tasks->make(config.task, options_without_data(config));
  const NetworkFlops flops = network_flops(config, task, finished);
  const std::lock_guard lock(mutex_);
  return flops_[key] = flops;
}

void FactStore::read_cost(const ListedRun& run, const RunConfig& config, RunFacts& facts) {
  const RunProgress progress = read_progress(run.folder / run_file::events);
  facts.seconds = seconds_of(progress);
  facts.learned_nothing = progress.learned_nothing();
  if (!progress.begun() && config.ensemble.empty()) {
    facts.no_cost = "It has no training record";
    return;
  }
  const NetworkFlops flops = flops_of(config, run.finished, facts);
  const auto task = config.task_file.empty() ? nullptr : config.make_task();  // a custom task may have stored sets
  const RunCost cost = cost_of(config, progress, flops, task ? task->stored() : nullptr, run.finished);
  if (!cost.known) {
    facts.no_cost = "Its cost is not known: " + cost.missing;
    return;
  }
  facts.gflop = cost.cost.paper();
  facts.gflop_with_cache = cost.cost.with_cache();
}

std::shared_ptr<const RunFacts> FactStore::read(const Tasks& tasks, const ListedRun& run) {
  auto facts = std::make_shared<RunFacts>();
  facts->signature = run.signature;
  facts->data_here = run.data_here;
  try {
    RunConfig config = read_run_toml(tasks, run.folder / run_file::config);
    read_settings(config, *facts);
    try {
      read_cost(run, config, *facts);
    } catch (const std::exception& error) {
      facts->no_cost = "Its cost is not known: " + sentence(error);
    }
    read_scores(tasks, run, *facts);
  } catch (const std::exception& error) {
    facts->no_scores = sentence(error);
  }
  const std::lock_guard lock(mutex_);
  facts_[run.run] = facts;
  return facts;
}

}  // namespace pairs::model
