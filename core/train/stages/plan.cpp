#include "core/train/stages/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "core/base/fields/face.h"
#include "core/sets/index_map.h"
#include "core/simulation_budget.h"
#include "core/train/cache/cache_statistics.h"
#include "core/train/run/cost.h"
#include "core/train/stages/stage_tools.h"

namespace pairs {
namespace {

// Adds stages 2 and 3: the sets of each group in the cache, of all generations, and those for measuring the
// standardizer.
void add_cached_sets(const RunConfig& config, const std::shared_ptr<const Task>& task,
                     std::vector<SetDemand>& demands) {
  const std::vector<CacheGroup> groups =
      plan_groups(config.cache, config.finetune.size_distribution == "list", task->stored());
  std::int64_t generations = 1;
  if (config.cache.refresh > 0)
    generations += std::max<std::int64_t>(0, config.finetune.epochs - 1) / config.cache.refresh;
  for (std::size_t k = 0; k < groups.size(); ++k) {
    const CacheGroup& g = groups[k];
    const std::int64_t begin = static_cast<std::int64_t>(k) * index_map::kGroupStride,
                       held_out = begin + index_map::kValidationSets;
    const std::string use = fmt::format("stages 2 and 3, N up to {}", g.n);
    demands.push_back({Purpose::finetune, begin, k == 0 ? index_map::kStatisticsSets : held_out,
                       g.training * generations, g.observations(), use});
    demands.push_back({Purpose::finetune_validation, held_out, begin + index_map::kGroupStride, g.validation,
                       g.observations(), use + ", validation"});
  }
  const StatisticsSample sample = statistics_sample(*task, config.estimator.embedder.size);
  demands.push_back({Purpose::finetune, index_map::kStatisticsSets, index_map::kValidationSets, sample.sets,
                     sample.observations, "stage 2, standardizer"});
}

// The number of sets needed so that `parts` in five of them are `sets`.
std::int64_t whole(std::int64_t sets, std::int64_t parts) {
  return (sets * StoredShares::all + parts - 1) / parts;
}

std::int64_t parts_of(Purpose purpose) {
  switch (purpose) {
    case Purpose::pretrain:
    case Purpose::finetune:
      return StoredShares::training;
    case Purpose::test:
      return StoredShares::test;
    default:
      return StoredShares::validation;
  }
}

}  // namespace

std::shared_ptr<const Task> planned_task(const RunConfig& config) {
  std::shared_ptr<const Task> task = config.make_task();
  const BudgetedSimulator* const budget = face<BudgetedSimulator>(*task);
  return budget != nullptr ? budget->planned(static_cast<std::uint64_t>(config.seed)) : task;
}

std::vector<SetDemand> set_demands(const RunConfig& config, const std::shared_ptr<const Task>& task) {
  std::vector<SetDemand> demands;
  const PretrainConfig& first = config.pretrain;
  const std::int64_t largest = *std::max_element(first.sizes.begin(), first.sizes.end());
  const SetSource source(task, static_cast<std::uint64_t>(config.seed), first.sizes, finite_sets(first),
                         first.validation_sets);
  const PretrainPlan plan = plan_pretraining(config, source);
  const std::int64_t visits = plan.epochs * plan.steps * plan.batch;
  constexpr auto kEnd = static_cast<std::int64_t>(index_map::kEnd);
  if (plan.epochs > 0)
    demands.push_back({Purpose::pretrain, 0, kEnd,
                       source.training_sets() > 0 ? std::min(source.training_sets(), visits) : visits, largest,
                       "stage 1"});
  demands.push_back({Purpose::pretrain_validation, 0, kEnd, source.validation_sets(), largest, "stage 1, validation"});
  if (strategy(config.strategy).stages_2_and_3) add_cached_sets(config, task, demands);
  for (std::size_t k = 0; k < config.evaluate.sizes.size(); ++k) {
    const std::int64_t sets = config.evaluate.sets[config.evaluate.sets.size() == 1 ? 0 : k];
    demands.push_back({Purpose::test, 0, sets, sets, config.evaluate.sizes[k],
                       fmt::format("evaluation, N = {}", config.evaluate.sizes[k])});
  }
  return demands;
}

std::vector<StagePlan> stage_plans(const RunConfig& config, const std::shared_ptr<const Task>& task) {
  const SetSource source(task, static_cast<std::uint64_t>(config.seed), config.pretrain.sizes,
                         finite_sets(config.pretrain), config.pretrain.validation_sets);
  const PretrainPlan first = plan_pretraining(config, source);
  const bool three = strategy(config.strategy).stages_2_and_3;
  Visits visits;
  visits.pretrain = static_cast<double>(first.epochs * first.steps * first.batch);
  StagePlan last{Stage::finetune};
  if (three) {
    const std::vector<CacheGroup> groups =
        plan_groups(config.cache, config.finetune.size_distribution == "list", task->stored());
    const bool many = config.finetune.heads == "per-n" && !keeps_regression(config);
    const std::int64_t heads = many ? static_cast<std::int64_t>(groups.size()) : 1;
    last.epochs = keeps_regression(config) ? 0 : heads * config.finetune.epochs;
    last.steps = last.epochs * finetune_steps(config, groups);
    visits.cached = true;
    visits.finetune = static_cast<double>(last.steps * config.finetune.batch);
    visits.embedded = static_cast<double>(task->info().pool);
    if (config.cache.refresh > 0 && last.epochs > 0)
      visits.refreshes = static_cast<double>(heads * ((config.finetune.epochs - 1) / config.cache.refresh));
  }
  const NetworkFlops flops = network_flops(config, task, false);
  const Cost cost = training_cost(config, visits, flops.embedder, flops.head, task->stored());
  std::vector<StagePlan> plans = {{Stage::pretrain, first.epochs * first.steps, first.epochs, cost.pretrain}};
  if (!three) return plans;
  plans.push_back({Stage::cache, 0, 0, cost.cache});
  last.gflop =
      training_cost(config, visits, flops.embedder, network_flops(config, task, true).head, task->stored()).finetune;
  plans.push_back(last);
  return plans;
}

std::vector<SetsToStore> sets_to_store(const std::vector<SetDemand>& demands) {
  // Sets can be used for every demand of at most as many observations as they hold: the standardizer and evaluations
  // use those that the stages need anyway, if these are large enough.
  std::map<std::int64_t, SetsToStore> rows;
  const auto add = [&](const SetDemand& demand, const std::string& use, bool others_too) {
    auto at = others_too ? rows.lower_bound(demand.n) : rows.find(demand.n);
    if (at == rows.end()) at = rows.emplace(demand.n, SetsToStore{demand.n, 0, {}}).first;
    SetsToStore& row = at->second;
    row.sets = std::max(row.sets, whole(demand.sets, parts_of(demand.purpose)));
    if (row.use.find(use) == std::string::npos) row.use += (row.use.empty() ? "" : "; ") + use;
  };
  const auto serves_others = [](const SetDemand& demand) {
    return demand.purpose == Purpose::test ||
           (demand.purpose == Purpose::finetune && demand.first == index_map::kStatisticsSets);
  };
  for (const SetDemand& demand : demands)
    if (!serves_others(demand)) add(demand, demand.use.substr(0, demand.use.find(", validation")), false);
  for (const SetDemand& demand : demands)
    if (serves_others(demand)) add(demand, demand.use.substr(0, demand.use.find(", N = ")), true);
  std::vector<SetsToStore> out;
  for (auto& [n, row] : rows) out.push_back(std::move(row));
  return out;
}

}  // namespace pairs
