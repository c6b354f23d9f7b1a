#include "core/train/run/cost.h"

#include <fmt/format.h>

#include <cmath>
#include <numeric>

#include "core/estimator.h"
#include "core/nn/initial.h"
#include "core/train/cache/cache_groups.h"
#include "core/train/events/event_values.h"

namespace pairs {
Visits visits_of(const RunProgress& run) {
  const StageRecord &first = run.stage(Stage::pretrain), &cache = run.stage(Stage::cache),
                    &last = run.stage(Stage::finetune);
  return {first.sets, last.sets,      first.done,   last.refreshes,
          cache.done, cache.embedded, run.before(), run.before_with_cache()};
}

Cost training_cost(const RunConfig& config, const Visits& visits, double embedder_flops, double head_flops,
                   const StoredSets* stored) {
  const std::vector<std::int64_t>& sizes = config.pretrain.sizes;
  const double mean_n = std::accumulate(sizes.begin(), sizes.end(), 0.0) / static_cast<double>(sizes.size());
  constexpr double kGiga = 1e-9;
  Cost cost;
  cost.before = visits.before;
  cost.before_with_cache = visits.before_with_cache;
  cost.pretrain = 3 * visits.pretrain * (mean_n * embedder_flops + head_flops) * kGiga;
  if (!strategy(config.strategy).stages_2_and_3 || !visits.cached) return cost;
  cost.finetune = 3 * visits.finetune * head_flops * kGiga;
  if (visits.embedded > 0) {
    cost.cache = visits.embedded * embedder_flops * kGiga;
    return cost;
  }
  const std::vector<CacheGroup> groups = plan_groups(config.cache, config.finetune.size_distribution == "list", stored);
  // A refresh of one head among several simulates only that head's group.
  const double refreshes =
      config.finetune.heads == "per-n" ? visits.refreshes / static_cast<double>(groups.size()) : visits.refreshes;
  for (const CacheGroup& group : groups)
    cost.cache += (static_cast<double>(group.training) * (1 + refreshes) + static_cast<double>(group.validation)) *
                  static_cast<double>(group.observations()) * embedder_flops * kGiga;
  return cost;
}

NetworkFlops network_flops(const RunConfig& config, const std::shared_ptr<const Task>& task, bool finetuned) {
  EstimatorConfig networks = config.estimator;
  networks.head = head_of_stage(config, finetuned);
  constexpr std::size_t kMostTensors = 100000;
  const ShapesOnly shapes(kMostTensors);  // no weights are initialized
  const Estimator estimator(task, networks, 0);
  return {estimator.embedder_flops(), estimator.head_flops()};
}

namespace {

// What is missing in a record, so that the cost is unknown; "" if nothing is.
std::string missing_of(const RunConfig& config, const RunProgress& progress, bool finished) {
  const Visits visits = visits_of(progress);
  if (progress.damaged()) return record_problem(config, progress, finished);
  if (!visits.known) return fmt::format("its {} does not hold the end of stage 1", run_file::events);
  if (!config.pretrain.from.empty() && visits.before == 0)
    return fmt::format("its {} does not state what the run cost that it started from (no \"started-from\")",
                       run_file::events);
  if (std::isnan(visits.before_with_cache))
    return fmt::format("the run that it started from, {}, has no training record", config.pretrain.from);
  return record_problem(config, progress, finished);
}

// The cost of an ensemble, which trains nothing itself: the summed costs of its runs.
RunCost cost_of_ensemble(const RunConfig& config, const RunProgress& progress) {
  if (std::string problem = record_problem(config, progress, true); !problem.empty())
    return {{}, false, std::move(problem)};
  Cost cost;
  cost.before = progress.before();
  cost.before_with_cache = progress.before_with_cache();
  const bool known = cost.before > 0 && std::isfinite(cost.before_with_cache);
  return {cost, known, known ? "" : "a run that it averages had no training record"};
}

}  // namespace

RunCost cost_of(const LoadedRun& run) {
  const auto log = run.folder / run_file::events;
  std::error_code error;
  if (!std::filesystem::exists(log, error)) return {{}, false, fmt::format("its {} is missing", run_file::events)};
  const RunProgress progress = read_progress(log);
  if (!run.config.ensemble.empty()) return cost_of_ensemble(run.config, progress);
  if (std::string missing = missing_of(run.config, progress, run.finetuned); !missing.empty())
    return {{}, false, std::move(missing)};
  return cost_of(run.config, progress, {run.estimator->embedder_flops(), run.estimator->head_flops()},
                 run.task->stored(), run.finetuned);
}

RunCost cost_of(const RunConfig& config, const RunProgress& progress, const NetworkFlops& flops,
                const StoredSets* stored, bool finished) {
  if (!config.ensemble.empty()) return cost_of_ensemble(config, progress);
  if (std::string missing = missing_of(config, progress, finished); !missing.empty())
    return {{}, false, std::move(missing)};
  return {training_cost(config, visits_of(progress), flops.embedder, flops.head, stored), true};
}

Event started_from(const LoadedRun& from) {
  Event event;
  event.type = EventType::started_from;
  event.values["from"] = from.name;
  if (const RunCost spent = cost_of(from); spent.known) {
    event.values["gflop"] = spent.cost.paper();
    event.values["gflop_with_cache"] = spent.cost.with_cache();
  }
  return event;
}

}  // namespace pairs
