#include "app/batch/budget_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/text/table.h"
#include "core/base/error.h"
#include "core/base/face.h"
#include "core/base/text.h"
#include "core/report/number_text.h"
#include "core/simulation_budget.h"

namespace pairs::batch {
namespace {

// How many observations the sets of each use hold.
struct BudgetUse {
  const char *key, *text;
  std::int64_t BudgetedSets::*sets;
};
constexpr BudgetUse kUses[] = {{"training", "training, stages 1 to 3", &BudgetedSets::training},
                               {"validation", "validation of stages 1 to 3", &BudgetedSets::validation},
                               {"test", "evaluation", &BudgetedSets::test}};

void add_sets(const BudgetedSimulator& budget, Result& result) {
  nlohmann::json& out = result.document["simulations"];
  Table table({{"what the simulations serve", false}, {"sets"}, {"simulations"}, {"sets of each N", false}});
  for (const BudgetUse& use : kUses) {
    std::int64_t sets = 0, observations = 0;
    std::string sizes;
    for (const BudgetedSets& size : budget.budgeted_sets()) {
      const std::int64_t count = size.*use.sets;
      sets += count;
      observations += count * size.n;
      sizes += fmt::format("{}{} of {}", sizes.empty() ? "" : ", ", count_text(count), count_text(size.n));
    }
    out[use.key] = {{"sets", sets}, {"simulations", observations}};
    table.add({use.text, count_text(sets), count_text(observations), sizes});
  }
  out["checks"] = budget.checks();
  table.add({"checks of the workers' seeds, at most", "–", count_text(budget.checks()), ""});
  for (const BudgetedSets& size : budget.budgeted_sets())
    out["sizes"].push_back(
        {{"n", size.n}, {"training", size.training}, {"validation", size.validation}, {"test", size.test}});
  result.text += fmt::format(
      "\nWithin {} simulations, each of which serves all stages:\n\n{}\n"
      "Stage 1 draws pairs of every set, stages 2 and 3 sets of N of all that hold N, again and again; evaluations "
      "take "
      "sets that no stage sees.\n",
      count_text(out["budget"].get<std::int64_t>()), table.text());
}

void add_pace(const BudgetedSimulator& budget, std::int64_t simulations, Result& result) {
  const double each = budget.seconds_each();
  const std::int64_t workers = budget.workers();
  const double seconds = each * static_cast<double>(simulations) / static_cast<double>(workers);
  nlohmann::json& out = result.document["simulations"];
  out["seconds_each"] = each;
  out["workers"] = workers;
  out["seconds"] = seconds;
  result.text += fmt::format("A simulation takes {:.3g} s (measured now), {} of them {} with {}.\n", each,
                             count_text(simulations), duration_text(seconds), counted(workers, "worker"));
}

// The settings in which the run differs from one without a budget.
void add_changes(const RunConfig& config, Result& result) {
  RunConfig free = preset_values(config.tasks, config.tasks->make(config.task)->info(), config.preset, config.strategy),
            fitted = preset_values(config.tasks, config.make_task()->info(), config.preset, config.strategy);
  nlohmann::json changed = nlohmann::json::object();
  std::string text;
  const std::vector<Field> before = fields(free), after = fields(fitted);
  for (std::size_t k = 0; k < std::min(before.size(), after.size()); ++k) {
    const std::string was = field_text(before[k]), is = field_text(after[k]);
    if (before[k].key != after[k].key || was == is) continue;
    changed[after[k].key] = {{"without", was}, {"within", is}};
    text += fmt::format("{}{} = {} (else {})", text.empty() ? "" : ", ", after[k].key, is, was);
  }
  result.document["simulations"]["changed"] = changed;
  if (!text.empty()) result.text += fmt::format("The budget changes the preset: {}.\n", text);
}

}  // namespace

void limit_simulations(const TaskCatalogue& tasks, std::int64_t simulations, NewRun& wanted) {
  if (simulations <= 0) return;
  tasks.make(wanted.task);  // refuses a name that is no task's
  TaskSettings settings = tasks.default_settings(wanted.task);
  const std::vector<Field> own = settings.fields();
  if (std::none_of(own.begin(), own.end(), [](const Field& field) { return field.key == kSimulationsSetting; }))
    fail_usage("--simulations {} needs a task of your own that a program simulates, which {} is not; leave it out",
               simulations, wanted.task);
  wanted.set.push_back(fmt::format("{}={}", kTaskSimulations, simulations));
}

void add_budget(const RunConfig& config, bool agreed, Result& result) {
  const std::shared_ptr<const Task> task = config.make_task();
  const BudgetedSimulator* const budget = face<BudgetedSimulator>(*task);
  if (budget == nullptr) return;
  result.document["simulations"]["budget"] = budget->simulations();
  add_sets(*budget, result);
  if (agreed) add_pace(*budget, budget->simulations(), result);
  add_changes(config, result);
}

}  // namespace pairs::batch
