#include "app/batch/parts/budget_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>

#include "app/text/table.h"
#include "core/base/fields/face.h"
#include "core/base/system/streams.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/report/number_text.h"
#include "core/simulation_budget.h"
#include "core/train/stages/known_costs.h"

namespace pairs::batch {
namespace {

// The number of observations in the sets of each use.
struct BudgetUse {
  const char *key, *text;
  std::int64_t BudgetedSets::*sets;
};
constexpr BudgetUse kUses[] = {{"training", "training, stages 1 to 3", &BudgetedSets::training},
                               {"validation", "validation of stages 1 to 3", &BudgetedSets::validation},
                               {"test", "evaluation", &BudgetedSets::test}};

std::int64_t observations_of(const BudgetedSimulator& budget, const BudgetUse& use) {
  std::int64_t observations = 0;
  for (const BudgetedSets& size : budget.budgeted_sets()) observations += size.*use.sets * size.n;
  return observations;
}

void add_sets(const BudgetedSimulator& budget, Result& result) {
  nlohmann::json& out = result.document["simulations"];
  Table table({{"what the simulations serve", false}, {"sets"}, {"simulations"}, {"sets of each N", false}});
  for (const BudgetUse& use : kUses) {
    std::int64_t sets = 0;
    const std::int64_t observations = observations_of(budget, use);
    std::string sizes;
    for (const BudgetedSets& size : budget.budgeted_sets()) {
      const std::int64_t count = size.*use.sets;
      sets += count;
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
      "Stage 1 draws pairs of every set, stages 2 and 3 sets of N of all that hold N, again and again; "
      "evaluations take sets that no stage sees.\n",
      count_text(out["budget"].get<std::int64_t>()), table.text());
}

// The program's pace, known from earlier or measured now.
KnownCosts::Pace pace_of(const BudgetedSimulator& budget, const RunConfig& config) {
  KnownCosts known;
  if (const auto kept = known.pace(config)) return *kept;
  print("Measuring how long a simulation takes …\n");
  const auto [each, by] = budget.pace();
  const KnownCosts::Pace pace = {each, by, static_cast<std::int64_t>(std::time(nullptr))};
  known.keep_pace(config, pace);
  return pace;
}

void add_pace(const BudgetedSimulator& budget, const RunConfig& config, Result& result) {
  const std::int64_t simulations = budget.simulations();
  const auto [each, measured, when] = pace_of(budget, config);
  const std::int64_t workers = budget.workers();
  const double seconds = each * static_cast<double>(simulations) / static_cast<double>(workers);
  nlohmann::json& out = result.document["simulations"];
  out["seconds_each"] = each;
  out["measured_by"] = measured;
  out["measured"] = day_text(when);
  out["workers"] = workers;
  out["seconds"] = seconds;
  result.text += fmt::format(
      "A simulation takes {:.3g} s, {} of them {} with {}. That was measured on {} by {} more, which the budget does "
      "not count.\n",
      each, count_text(simulations), duration_text(seconds), counted(workers, "worker"), day_text(when),
      count_text(measured));
}

// A setting changed by the budget.
struct BudgetChange {
  std::string key, without, within;
};
std::vector<BudgetChange> changes_of(const RunConfig& config) {
  RunConfig free = preset_values(config.tasks, config.tasks->make(config.task)->info(), config.preset, config.strategy),
            fitted = preset_values(config.tasks, config.make_task()->info(), config.preset, config.strategy);
  std::vector<BudgetChange> out;
  const std::vector<Field> before = fields(free), after = fields(fitted);
  for (std::size_t k = 0; k < std::min(before.size(), after.size()); ++k) {
    const std::string was = field_text(before[k]), is = field_text(after[k]);
    if (before[k].key == after[k].key && was != is) out.push_back({after[k].key, was, is});
  }
  return out;
}

// A line; "" if there is none.
std::string changes_text(const std::vector<BudgetChange>& changes) {
  std::string text;
  for (const BudgetChange& one : changes)
    text += fmt::format("{}{} = {} (else {})", text.empty() ? "" : ", ", one.key, one.within, one.without);
  return text.empty() ? "" : fmt::format("The budget changes the preset: {}.\n", text);
}

// Whether a run of the task can have a budget of simulations.
bool takes_budget(const TaskCatalog& tasks, const std::string& task) {
  TaskSettings settings = tasks.default_settings(task);
  const std::vector<Field> own = settings.fields();
  return std::any_of(own.begin(), own.end(), [](const Field& field) { return field.key == kSimulationsSetting; });
}

// The number rounded down to two digits: 14,872 -> 14,000.
std::int64_t two_digits(double value) {
  const double unit = std::pow(10.0, std::max(0.0, std::floor(std::log10(std::max(value, 1.0))) - 1));
  return static_cast<std::int64_t>(std::floor(value / unit) * unit);
}

}  // namespace

std::string budget_advice(const TaskCatalog& tasks, const RunConfig& config, const ExpectedCost& need) {
  constexpr double kHour = 3600;
  const double drawing = need.draws * need.draw_seconds;
  const std::shared_ptr<const Task> task = config.make_task();
  if (drawing <= kHour || face<BudgetedSimulator>(*task) != nullptr || !takes_budget(tasks, config.task)) return "";
  // Everything except simulations takes at most half of the hour: a budget shortens the preset, too.
  const double rest = std::min(kHour / 2, std::max(0.0, whole_seconds(need) - drawing));
  const std::int64_t fits = std::min(two_digits((kHour - rest) / need.draw_seconds), kMostSimulations);
  return fmt::format(
      "An observation takes {:.2g} s to simulate, so the {} that this preset draws take {}. With --simulations {} the "
      "run fits an hour: each simulation then serves all stages.",
      need.draw_seconds, count_text(static_cast<std::int64_t>(need.draws)), duration_text(drawing), fits);
}

void limit_simulations(const TaskCatalog& tasks, std::int64_t simulations, NewRun& wanted) {
  if (simulations <= 0) return;
  tasks.make(wanted.task);  // throws for an unknown task
  if (!takes_budget(tasks, wanted.task))
    fail_usage("--simulations {} needs a task of your own that a program simulates, which {} is not; leave it out",
               simulations, wanted.task);
  wanted.set.push_back(fmt::format("{}={}", kTaskSimulations, simulations));
}

std::string budget_lines(const RunConfig& config) {
  const std::shared_ptr<const Task> task = config.make_task();
  const BudgetedSimulator* const budget = face<BudgetedSimulator>(*task);
  if (budget == nullptr) return "";
  std::string uses;
  for (const BudgetUse& use : kUses)
    uses += fmt::format("{} for {}, ", count_text(observations_of(*budget, use)), use.text);
  return fmt::format("Before that, once, {} simulations are made: {}{} at most for checks of the workers' seeds.\n{}",
                     count_text(budget->simulations()), uses, count_text(budget->checks()),
                     changes_text(changes_of(config)));
}

void add_budget(const RunConfig& config, bool agreed, Result& result) {
  const std::shared_ptr<const Task> task = config.make_task();
  const BudgetedSimulator* const budget = face<BudgetedSimulator>(*task);
  if (budget == nullptr) return;
  result.document["simulations"]["budget"] = budget->simulations();
  add_sets(*budget, result);
  if (agreed) add_pace(*budget, config, result);
  const std::vector<BudgetChange> changes = changes_of(config);
  nlohmann::json changed = nlohmann::json::object();
  for (const BudgetChange& one : changes) changed[one.key] = {{"without", one.without}, {"within", one.within}};
  result.document["simulations"]["changed"] = changed;
  result.text += changes_text(changes);
}

}  // namespace pairs::batch
