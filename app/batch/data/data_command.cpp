#include <CLI/CLI.hpp>
#include <memory>

#include "app/batch/data/data_report.h"
#include "app/batch/data/plan_report.h"
#include "app/batch/data/task_check.h"
#include "app/batch/parts/budget_report.h"
#include "app/batch/parts/command.h"
#include "app/batch/parts/numbers.h"
#include "app/batch/parts/own_task.h"
#include "app/runs/new_run.h"
#include "app/runs/places.h"
#include "app/runs/task_words.h"
#include "core/base/text/error.h"
#include "core/simulation_budget.h"

namespace pairs::batch {
namespace {

struct PlanQuestion {
  std::string task, preset = "quick", strategy = "pairs";
  std::vector<std::string> settings;
  OwnTaskOptions own;
  std::int64_t simulations = 0;
  bool plan = false;
};

}  // namespace

Action add_data(CLI::App& app, const Catalog& tasks) {
  const auto question = std::make_shared<DataQuestion>();
  app.add_option("--data", question->folder, "Folder of real data, or a file of them (default: $PAIRS_DATA)")
      ->type_name("DIR|FILE");
  app.add_flag(
      "--check", question->check,
      "Read all that was found, which may take minutes: how many each part has, and what is set aside and why; "
      "with a task of your own: whether its program or its stored sets are right, and how fast");
  app.add_flag("--all", question->all, "With --check: name each one that is set aside")->needs("--check");
  const auto planned = std::make_shared<PlanQuestion>();
  planned->own.tasks = tasks;
  app.add_option("TASK", planned->task, "With --plan: the task; with --check: one of your own");
  add_own_task_options(app, planned->own);
  app.add_flag(
      "--plan", planned->plan,
      "Steps and cost of a run of TASK, and how many sets of which size it draws, so that they can be simulated "
      "before it is trained");
  app.add_option("--preset", planned->preset, "With --plan: as in run")->type_name("NAME")->capture_default_str();
  app.add_option("--strategy", planned->strategy, "With --plan: as in run")->type_name("NAME")->capture_default_str();
  app.add_option("--simulations", planned->simulations,
                 "With --plan: as in run; how long so many take is measured with the simulator")
      ->type_name("N")
      ->transform(whole_number(1, kMostSimulations));
  app.add_option("--set", planned->settings, "With --plan: change settings, as in run")->type_name("KEY=VALUE");
  std::string footer =
      "Examples:\n  pairs --batch data --data ~/datasets\n  pairs --batch data --data ~/datasets --check\n" +
      with_task_names(
          "  pairs --batch data {exact} --plan --preset small\n  pairs --batch data my/task.toml --check --allow\n"
          "  pairs --batch data my/task.toml --plan --simulations 20000");
  for (const DataSet& set : tasks->data_sets()) footer += "\n" + set.layout;
  app.footer(footer);
  return [question, planned, tasks] {
    const std::string task = task_named(planned->task, planned->own);
    if (planned->plan ? task.empty() || question->check : !task.empty() && !question->check)
      fail_usage("{}", task.empty()    ? "--plan is for one task: name it, as in data TASK --plan"
                       : planned->plan ? "--plan and --check are different reports on a task; give one of them"
                                       : "data takes a task with --plan or --check; name a folder with --data");
    if (!task.empty() && !planned->plan) return check_task(tasks, tasks->make(task));
    DataQuestion asked = *question;
    asked.folder = data_folder(asked.folder);
    if (planned->plan) {
      NewRun wanted;
      wanted.task = task;
      wanted.preset = planned->preset;
      wanted.strategy = planned->strategy;
      wanted.data = question->folder;
      wanted.set = planned->settings;
      limit_simulations(*tasks, planned->simulations, wanted);
      RunConfig config = resolve(tasks, wanted);
      config.data = asked.folder;
      return plan_report(*tasks, config);
    }
    return data_report(*tasks, asked);
  };
}

}  // namespace pairs::batch
