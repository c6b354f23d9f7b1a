#include "app/studies/study_plan.h"

#include <ATen/Functions.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "app/scores/run_evaluation.h"
#include "core/base/fields/face.h"
#include "core/base/text/error.h"
#include "core/base/threads/clock.h"
#include "core/base/threads/threads.h"
#include "core/train/run/stage_sharing.h"
#include "core/train/stages/plan.h"
#include "core/train/stages/stage_tools.h"

namespace pairs {
namespace {

// The cost of runs that differ only in their seed and the optimizer.
struct KindCost {
  ExpectedCost need{};
  double gflop = 0, evaluate_seconds = 0;
  std::string busy;
};

std::string kind_of(const RunConfig& config) {
  RunConfig copy = config;
  copy.seed = 1;
  for (OptimizerConfig* const one :
       {static_cast<OptimizerConfig*>(&copy.pretrain), static_cast<OptimizerConfig*>(&copy.finetune)})
    one->rate = one->floor = one->weight_decay = one->warmup = 0;
  std::string sizes;
  for (const std::int64_t n : copy.evaluate.sizes) sizes += fmt::format(" {}", n);
  for (const std::int64_t n : copy.evaluate.sets) sizes += fmt::format(" {}", n);
  return deciding_settings(copy, Stage::finetune) + sizes +
         fmt::format(" {} {}", copy.evaluate.samples, copy.evaluate.extrapolate);
}

// An untrained estimator is as slow as a trained one. Evaluates a few sets, then four times as many, until that takes
// long enough to be measured: the difference is the cost of sets, the rest is independent of their number.
double evaluation_seconds(const RunConfig& config, const std::function<bool()>& stop) {
  const StageSetting setting(config);
  LoadedRun run;
  run.config = config;
  run.task = setting.task;
  run.finetuned = strategy(config.strategy).stages_2_and_3;
  run.estimator = std::make_shared<Estimator>(setting.task, config.estimator, setting.seed);
  if (replaces_regression(config)) run.estimator->reset_heads(setting.seed, head_of_stage(config, true));
  // A regression needs its spread before it can be evaluated.
  if (ResidualSpread* spread = face<ResidualSpread>(run.estimator->head(0)))
    spread->set_sigma(torch::ones({1}, torch::kInt64),
                      torch::ones({1, static_cast<std::int64_t>(run.task->info().targets.size())}, torch::kFloat64));
  run.estimator->set_max_n(run.finetuned
                               ? config.cache.sizes.back()
                               : *std::max_element(config.pretrain.sizes.begin(), config.pretrain.sizes.end()));
  run.estimator->to(setting.device);
  EvaluationOptions options = evaluation_options(run);
  options.purpose = Purpose::check;
  options.pool_replicates = 0;
  double sets = 0;
  for (std::size_t k = 0; k < options.sizes.size(); ++k)
    sets += static_cast<double>(options.sets[std::min(k, options.sets.size() - 1)]);
  const auto timed = [&](std::int64_t count) {
    options.sets = {count};
    const Stopwatch watch;
    evaluate(*run.estimator, options, [&] { return !stop || !stop(); });
    return watch.seconds();
  };
  std::int64_t count = 2;
  double fewer = timed(count), more = fewer;
  timed(count);
  for (; static_cast<double>(4 * count * static_cast<std::int64_t>(options.sizes.size())) <= sets; fewer = more) {
    count *= 4;
    more = timed(count);
    if (more - fewer > 0.2) break;
  }
  const double sizes = static_cast<double>(options.sizes.size());
  if (count == 2) return fewer * sets / (2 * sizes);
  const double each = std::max(0.0, more - fewer) / (0.75 * static_cast<double>(count) * sizes);
  return std::max(0.0, more - each * static_cast<double>(count) * sizes) + each * sets;
}

KindCost cost_of_kind(const RunConfig& config, const std::function<bool()>& stop) {
  KindCost cost;
  for (const StagePlan& stage : stage_plans(config, config.make_task()))
    if (stage.stage != Stage::cache) cost.gflop += stage.gflop;
  cost.need = expected_cost(config, stop);
  cost.evaluate_seconds = evaluation_seconds(config, stop);
  cost.busy = busy_note(config, cost.need);
  return cost;
}

// Records which stages of a run an earlier one has to train anyway.
void share(const std::vector<StudyRun>& runs, std::size_t at, std::map<std::string, std::size_t>& first,
           std::map<std::string, std::size_t>& second, RunPlan& plan) {
  const auto [one, new_one] = first.try_emplace(runs[at].first_stage, at);
  const bool caches = strategy(runs[at].config.strategy).stages_2_and_3;
  const auto [two, new_two] = second.try_emplace(runs[at].second_stage, at);
  if (new_one) return;
  plan.pretrain_seconds = 0;
  plan.shares = "pretrain of " + runs[one->second].name;
  if (new_two || !caches) return;
  plan.cache_seconds = 0;
  plan.shares = "pretrain and cache of " + runs[two->second].name;
}

}  // namespace

StudyPlan plan_study(const std::vector<StudyRun>& runs, const std::vector<bool>& done,
                     const std::function<bool()>& stop, const std::function<void(std::size_t, std::size_t)>& reported) {
  std::map<std::string, KindCost> kinds;
  std::vector<std::string> keys;
  for (const StudyRun& run : runs) kinds[keys.emplace_back(kind_of(run.config))];
  std::set<std::string> measured;
  std::map<std::string, std::size_t> first, second;
  StudyPlan study;
  for (std::size_t k = 0; k < runs.size(); ++k) {
    const StudyRun& run = runs[k];
    const std::string& key = keys[k];
    KindCost& kind = kinds[key];
    if (measured.insert(key).second) {
      if (reported) reported(measured.size(), kinds.size());
      if (stop && stop()) throw Stopped();
      kind = cost_of_kind(run.config, stop);
      if (study.busy.empty()) study.busy = kind.busy;
    }
    RunPlan plan;
    plan.name = run.name;
    plan.trained = run.trained;
    plan.gflop = kind.gflop;
    plan.pretrain_seconds = kind.need.pretrain_seconds;
    plan.cache_seconds = kind.need.cache_seconds;
    plan.finetune_seconds = kind.need.finetune_seconds;
    plan.evaluate_seconds = kind.evaluate_seconds;
    plan.cache_bytes = kind.need.cache_bytes;
    if (run.trained) share(runs, k, first, second, plan);
    if (k < done.size() && done[k])
      plan.pretrain_seconds = plan.cache_seconds = plan.finetune_seconds = plan.evaluate_seconds = plan.cache_bytes = 0;
    study.runs.push_back(std::move(plan));
  }
  return study;
}

std::vector<StudyRun> on_share_of_cores(std::vector<StudyRun> runs, std::int64_t processes) {
  const std::int64_t share = std::max<std::int64_t>(1, usable_cores() / std::max<std::int64_t>(1, processes));
  for (StudyRun& run : runs)
    if (run.config.threads == 0) run.config.threads = share;
  return runs;
}

double study_seconds(const StudyPlan& plan, std::int64_t processes) {
  std::vector<double> busy(static_cast<std::size_t>(std::max<std::int64_t>(1, processes)), 0.0);  // end of its work
  for (const RunPlan& run : plan.runs)
    if (run.trained) *std::min_element(busy.begin(), busy.end()) += run.seconds();
  return *std::max_element(busy.begin(), busy.end());
}

}  // namespace pairs
