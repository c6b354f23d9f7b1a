#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "app/batch/parts/arguments.h"
#include "app/batch/parts/command.h"
#include "app/batch/parts/preparation_progress.h"
#include "app/posterior/caveats/disagreement_text.h"
#include "app/runs/run_about.h"
#include "app/text/table.h"
#include "core/base/fields/face.h"
#include "core/base/text/text.h"
#include "core/ensemble.h"
#include "core/report/number_text.h"
#include "core/train/run/cost.h"
#include "core/train/run/ensemble_run.h"

namespace pairs::batch {
namespace {

struct EnsembleArguments {
  Catalog tasks;
  std::vector<std::string> runs;
  std::string out, data;
  bool calibrate = false;
};

// ", made narrower, to 0.86 of its width"
std::string width_text(double width) {
  return width == 1
             ? ""
             : fmt::format(", made {}, to {} of its width", width < 1 ? "narrower" : "wider", number_text(width, 3));
}

Result ensemble(const EnsembleArguments& arguments) {
  PreparationProgress reported("ensemble");
  const std::filesystem::path folder = create_ensemble(arguments.tasks, arguments.runs, arguments.out, arguments.data,
                                                       arguments.calibrate, reported.follow());
  const LoadedRun made = load_run(arguments.tasks, folder.string(), arguments.data, "cpu");
  name_new_run(folder, made.config);
  Result result;
  Table table({{"run", false}, {"seed"}, {"weights", false}});
  for (const EnsembleMember& one : made.config.ensemble) table.add({one.run, std::to_string(one.seed), one.weights});
  result.document["runs"] = members_document(made.config.ensemble);
  const RunCost spent = cost_of(made);
  result.document["ensemble"] = folder.string();
  result.document["weights"] = weights_checksum(made);
  const double width = face<Ensemble>(*made.estimator)->width();
  result.document["width"] = width;
  if (spent.known)
    result.document["gflop"] = spent.cost.paper();
  else
    result.document["no_cost"] = spent.missing;
  result.text =
      fmt::format("{}: the mean of the posteriors of {}{}, for N up to {}{}\n\n{}\nNext: pairs --batch evaluate {}\n",
                  folder.string(), counted(made.config.ensemble.size(), "run"), width_text(width),
                  count_text(made.estimator->max_n()),
                  spent.known ? fmt::format(", trained in {} together", flop_text(spent.cost.paper()))
                              : fmt::format("; what training them cost is not known: {}", spent.missing),
                  table.text(2), shell_word(folder.string()));
  return result;
}

}  // namespace

Action add_ensemble(CLI::App& app, const Catalog& tasks) {
  const auto arguments = std::make_shared<EnsembleArguments>();
  arguments->tasks = tasks;
  app.add_option("RUN", arguments->runs, "Two or more runs of one task and data that differ in nothing but their seed")
      ->required();
  app.add_option("--out", arguments->out, "Folder of the ensemble (default: runs/TASK-TIME)")->type_name("FOLDER");
  app.add_flag(
      "--calibrate", arguments->calibrate,
      "Make the mean narrower, or wider, until it fits the truths of sets that stage 3 validates on: the mean of "
      "calibrated posteriors is too wide where runs differ. Takes minutes; not for targets that have an end");
  app.add_option("--data", arguments->data, "Folder of real data, in place of the runs' own")->type_name("FOLDER");
  app.footer(
      "Makes a run whose posterior is the mean of the runs' densities. It holds copies of their weights, and every\n"
      "command takes it as it takes a run: its results report how far the runs differ about a set.\n"
      "Example:\n"
      "  pairs --batch ensemble runs/a runs/b --out runs/mean");
  return [arguments] { return ensemble(*arguments); };
}

}  // namespace pairs::batch
