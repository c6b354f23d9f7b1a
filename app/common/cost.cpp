#include "app/common/cost.h"

#include <numeric>

#include "core/train/aggregate_cache.h"

namespace pairs {

Visits visits_of(const std::vector<Event>& events) {
  Visits visits;
  for (const Event& event : events) {
    if (event.type != "stage-done") continue;
    const double sets = event.values.value("sets", 0.0);
    if (event.stage == Stage::pretrain) {
      visits.pretrain += sets;
      visits.known = true;
    }
    if (event.stage == Stage::cache) visits.cached = true;
    if (event.stage == Stage::finetune) {
      visits.finetune += sets;
      visits.refreshes += event.values.value("refreshes", 0.0);
    }
  }
  return visits;
}

Cost training_cost(const RunConfig& config, const Visits& visits, double embedder_flops, double head_flops) {
  const std::vector<std::int64_t>& sizes = config.pretrain.sizes;
  const double mean_n = std::accumulate(sizes.begin(), sizes.end(), 0.0) / static_cast<double>(sizes.size());
  constexpr double kGiga = 1e-9;
  Cost cost;
  cost.pretrain = 3 * visits.pretrain * (mean_n * embedder_flops + head_flops) * kGiga;
  if (!strategy(config.strategy).stages_2_and_3 || !visits.cached) return cost;
  cost.finetune = 3 * visits.finetune * head_flops * kGiga;
  const std::vector<CacheGroup> groups = plan_groups(config.cache, config.finetune.law == "list");
  // A refresh of one head among several simulates that head's group alone.
  const double refreshes =
      config.finetune.heads == "per-n" ? visits.refreshes / static_cast<double>(groups.size()) : visits.refreshes;
  for (const CacheGroup& group : groups)
    cost.cache += (static_cast<double>(group.training) * (1 + refreshes) + static_cast<double>(group.validation)) *
                  static_cast<double>(group.observations()) * embedder_flops * kGiga;
  return cost;
}

RunCost cost_of(const LoadedRun& run) {
  const auto log = run.folder / run_file::events;
  std::error_code error;
  if (!std::filesystem::exists(log, error)) return {};
  const Visits visits = visits_of(read_events(log.string()));
  if (!visits.known) return {};
  return {training_cost(run.config, visits, run.estimator->embedder_flops(), run.estimator->head_flops()), true};
}

}  // namespace pairs
