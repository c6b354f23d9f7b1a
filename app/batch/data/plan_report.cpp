#include "app/batch/data/plan_report.h"

#include <fmt/format.h>

#include <utility>

#include "app/batch/parts/budget_report.h"
#include "app/batch/parts/drive.h"
#include "app/runs/input_text.h"
#include "app/runs/invalid_text.h"
#include "app/runs/new_run.h"
#include "app/text/table.h"
#include "core/base/fields/face.h"
#include "core/base/system/streams.h"
#include "core/base/text/error.h"
#include "core/base/text/log.h"
#include "core/eval/references/sufficiency.h"
#include "core/invalid_draws.h"
#include "core/report/number_text.h"
#include "core/simulation_budget.h"
#include "core/train/stages/plan.h"

namespace pairs::batch {
namespace {

std::string observations_text(double count) {
  return count_text(static_cast<std::int64_t>(count));
}

// The expected duration of a run on this machine.
void add_expected_time(const TaskCatalog& tasks, const RunConfig& config, Result& result) {
  try {
    ExpectedCost need = expected_cost(
        config, [] { return !keep_going(); }, [] { print("Measuring how long training takes on this machine …\n"); });
    if (result.document.contains("simulations"))
      need.simulate_seconds = result.document["simulations"].value("seconds", 0.0);
    result.document["expected"] = {
        {"simulate_seconds", need.simulate_seconds},     {"pretrain_seconds", need.pretrain_seconds},
        {"cache_seconds", need.cache_seconds},           {"finetune_seconds", need.finetune_seconds},
        {"likelihood_seconds", need.likelihood_seconds}, {"seconds", whole_seconds(need)},
        {"measured", day_text(need.measured)},           {"text", expected_text(config, need)}};
    result.text += fmt::format("Expected on this machine: {}, by steps measured on {}.\n", expected_text(config, need),
                               day_text(need.measured));
    if (const std::string busy = busy_note(config, need); !busy.empty()) result.text += busy + "\n";
    if (const std::string advice = budget_advice(tasks, config, need); !advice.empty()) result.text += advice + "\n";
  } catch (const Error& error) {
    // Sets can be planned without the data from which they are made.
    result.document["expected"] = {{"unknown", error.what()}};
    result.text += fmt::format("How long it takes cannot be measured: {}\n", error.what());
  }
}

// Reports data from which nothing can be learned before training.
void look_through(const Task& task) {
  constexpr std::int64_t kLong = 1 << 28;  // numbers above which the check is slow
  bool reported = false;
  task.prepare({[] { return !keep_going(); },
                [&](const std::string& what, std::int64_t, std::int64_t total) {
                  if (total >= kLong && !std::exchange(reported, true))
                    spdlog::info("{}: {} in all", what, count_text(total));
                }});
}

}  // namespace

Result plan_report(const TaskCatalog& tasks, const RunConfig& config) {
  const std::shared_ptr<const Task> task = planned_task(config), asked = config.make_task();
  const BudgetedSimulator* const budget = face<BudgetedSimulator>(*asked);
  if (task->stored() && budget == nullptr) look_through(*task);
  const std::vector<SetDemand> demands = set_demands(config, task);
  const StoredSets* stored = task->stored();
  const std::vector<SetService> service = stored ? stored->service(demands) : std::vector<SetService>();

  Result result;
  result.document = {{"task", config.task},
                     {"preset", config.preset},
                     {"strategy", config.strategy},
                     {"stages", nlohmann::json::array()},
                     {"draws", nlohmann::json::array()},
                     {"store", nlohmann::json::array()}};
  Table stages({{"stage", false}, {"steps"}, {"epochs"}, {"cost"}});
  for (const StagePlan& stage : stage_plans(config, task)) {
    result.document["stages"].push_back(
        {{"stage", stage_name(stage.stage)}, {"steps", stage.steps}, {"epochs", stage.epochs}, {"gflop", stage.gflop}});
    stages.add({stage_name(stage.stage), stage.steps > 0 ? count_text(stage.steps) : "–",
                stage.epochs > 0 ? count_text(stage.epochs) : "–", flop_text(stage.gflop)});
  }
  std::vector<Table::Column> columns = {{"what draws", false}, {"sets"}, {"N"}, {"observations"}};
  if (stored) columns.push_back({"stored sets that serve"});
  Table drawn(columns);
  for (std::size_t k = 0; k < demands.size(); ++k) {
    const SetDemand& demand = demands[k];
    const double observations = static_cast<double>(demand.sets) * static_cast<double>(demand.n);
    nlohmann::json line = {{"use", demand.use}, {"sets", demand.sets}, {"n", demand.n}, {"observations", observations}};
    std::vector<std::string> cells = {demand.use, count_text(demand.sets), count_text(demand.n),
                                      observations_text(observations)};
    if (stored) {
      line["stored"] = service[k].held;
      cells.push_back(count_text(service[k].held));
    }
    result.document["draws"].push_back(std::move(line));
    drawn.add(std::move(cells));
  }
  Table store({{"sets to store"}, {"of N"}, {"observations"}, {"for", false}});
  for (const SetsToStore& row : sets_to_store(demands)) {
    const double observations = static_cast<double>(row.sets) * static_cast<double>(row.n);
    result.document["store"].push_back(
        {{"sets", row.sets}, {"n", row.n}, {"observations", observations}, {"use", row.use}});
    store.add({count_text(row.sets), count_text(row.n), observations_text(observations), row.use});
  }
  result.text = fmt::format(
      "{}, preset {}, strategy {}\n\n{}Cost: forward passes times three in training; those of the cache once, which "
      "the paper does not count.\n\n{}\n{}\n"
      "Of five stored sets three train, one validates and one is evaluated on average, by what they hold. With fewer "
      "sets than these each is drawn several times, of larger ones every time another random subset of the "
      "observations.\n",
      task->info().title, config.preset, config.strategy, stages.text(), drawn.text(), store.text());
  for (const SetService& one : service) result.text += one.text + "\n";
  // Does not run a program without permission.
  const bool measured = stored != nullptr || (!task->info().file.empty() && tasks.describe(task->info().file).agreed);
  if (measured) check_sufficient_statistics(*task);
  const bool scaled = measured && (budget == nullptr || !budget->measures_input());
  if (const std::string input = input_text(*task, scaled ? input_scale(*task) : InputScale{}); !input.empty()) {
    result.text += input + "\n";
    result.document["input"] = input;
  }
  add_budget(config, measured, result);
  add_expected_time(tasks, config, result);
  if (const InvalidDraws invalid = invalid_draws_of(*asked); invalid.attempts > 0) {
    result.document["invalid"] = to_json(invalid);
    result.text += invalid_text(result.document["invalid"]);
  }
  if (!stored) return result;
  result.document["notes"] = stored->notes();
  for (const std::string& note : stored->notes()) result.text += note + "\n";
  return result;
}

}  // namespace pairs::batch
