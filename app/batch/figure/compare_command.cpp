#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <memory>

#include "app/batch/parts/arguments.h"
#include "app/batch/parts/command.h"
#include "app/batch/parts/numbers.h"
#include "app/batch/parts/printed_evaluation.h"
#include "app/kinds/target_room.h"
#include "app/runs/run_labels.h"
#include "app/runs/task_words.h"
#include "app/scores/borrowed_sets.h"
#include "app/scores/companion.h"
#include "app/scores/score.h"
#include "app/scores/scoring.h"
#include "app/text/table.h"
#include "core/base/text/error.h"
#include "core/base/text/log.h"
#include "core/report/number_text.h"
#include "core/train/run/cost.h"
#include "core/train/settings/config.h"

namespace pairs::batch {
namespace {

struct CompareArguments {
  std::vector<std::string> runs;
  std::string sizes, sets;
  OpenArguments open;
  std::int64_t seed = 1, samples = -1;  // -1: by the kind of target
  bool all_settings = false;
};

// The requested sizes; by default, those of the first run's evaluation that every run was trained on.
EvaluationOptions common_options(const std::vector<LoadedRun>& runs, const CompareArguments& arguments) {
  EvaluationOptions options = evaluation_options(runs.front());
  if (!arguments.sizes.empty()) {
    options.sizes = parse_sizes(arguments.sizes, "--sizes", "--sizes ");
    if (options.sets.size() != 1) options.sets = {2000};
  }
  std::int64_t most = runs.front().estimator->max_n();
  for (const LoadedRun& run : runs) most = std::min(most, run.estimator->max_n());
  if (!arguments.sizes.empty() && *std::max_element(options.sizes.begin(), options.sizes.end()) > most)
    fail_usage("--sizes goes beyond N = {}, the maximum that every run saw", most);
  while (!options.sizes.empty() && options.sizes.back() > most) {
    options.sizes.pop_back();
    if (options.sets.size() > 1) options.sets.pop_back();
  }
  PAIRS_CHECK(!options.sizes.empty(), "The runs have no set size in common; give --sizes up to {}", most);
  if (!arguments.sets.empty()) options.sets = parse_counts(arguments.sets, "--sets", "--sets ");
  check_per_size(options.sets.size(), options.sizes.size(), "--sets");
  options.samples = target_room_of(runs.front().task->info()).compared_samples(arguments.samples, options.samples);
  options.seed = static_cast<std::uint64_t>(arguments.seed);
  options.references.clear();
  return options;
}

void check_comparable(const std::vector<LoadedRun>& runs) {
  for (const LoadedRun& run : runs) {
    const LoadedRun& first = runs.front();
    const std::string other = other_question({first.name, first.config.task, first.task->info().variant},
                                             {run.name, run.config.task, run.task->info().variant});
    PAIRS_CHECK(other.empty(), "{}", other);
  }
  check_same_data(runs);
}

Result compare(const CompareArguments& arguments) {
  if (arguments.runs.size() < 2) fail_usage("compare needs at least two runs: pairs --batch compare RUN RUN...");
  std::vector<LoadedRun> runs;
  for (const std::string& name : arguments.runs) runs.push_back(open_run(name, arguments.open));
  check_comparable(runs);
  for (LoadedRun& run : runs) {
    warn_only_pretrained(run);
    if (run.task->info().data_source == runs.front().task->info().data_source) continue;
    spdlog::info("{} uses {}; it is scored here on the test sets of {} ({})", run.name, run.task->info().data_source,
                 runs.front().name, runs.front().task->info().data_source);
    run = with_sets_of(run, runs.front());
  }
  const EvaluationOptions options = common_options(runs, arguments);
  ProgressPrinter printer = stderr_printer();
  std::vector<Metrics> metrics;
  for (const LoadedRun& run : runs) metrics.push_back(metrics_of(run, printer, &options));

  Result result;
  nlohmann::json& document = result.document;
  document = {{"task", runs[0].config.task},
              {"data", metrics[0].data},
              {"runs", nlohmann::json::array()},
              {"settings", nlohmann::json::array()}};
  const Scoring& scoring = scoring_of(metrics[0].rows);
  const Score& score = scoring.score();
  std::vector<Table::Column> measured = {{"N"}, {"run", false}, {score.heading()}};
  for (const Table::Column& column : scoring.compared_columns()) measured.push_back(column);
  Table quality(measured);
  Table costs({{"run", false}, {"paper's rule"}, {"share of first"}, {"with stage 2"}, {"share of first"}});
  std::vector<nlohmann::json> documents;
  for (const Metrics& one : metrics) documents.push_back(metrics_document(one));
  std::vector<RunCost> spent;
  for (const LoadedRun& run : runs) spent.push_back(cost_of(run));
  for (std::size_t r = 0; r < runs.size(); ++r) {
    nlohmann::json line = {
        {"run", runs[r].name}, {"strategy", runs[r].config.strategy}, {"rows", nlohmann::json::array()}};
    for (std::size_t i = 0; i < metrics[r].rows.size(); ++i) {
      const EvaluationRow& row = metrics[r].rows[i];
      const PairedDifference difference = score_difference(row, metrics[0].rows[i]);
      nlohmann::json cell = {{"n", row.n},
                             {"sets", row.sets},
                             {score.key, score.value(row)},
                             {score.key + "_se", score.error(row)},
                             {score.key + "_difference", difference.mean},
                             {score.key + "_difference_se", difference.se}};
      cell.update(scoring.compared_document(row));
      if (const auto apart = means_apart_at(metrics[0], metrics[r], row.n); r > 0 && !apart.empty())
        cell["means_apart"] = apart;
      std::vector<std::string> more = {"extrapolation", "pool", "pool_location_sd", "pool_location_z"};
      for (const Score& one : score_list())
        if (one.by_target) more.push_back(one.key);
      for (const std::string& key : more)
        if (documents[r]["rows"][i].contains(key)) cell[key] = documents[r]["rows"][i][key];
      line["rows"].push_back(cell);
    }
    if (spent[r].known)
      line["gflop"] = {{"before", spent[r].cost.before}, {"pretrain", spent[r].cost.pretrain},
                       {"cache", spent[r].cost.cache},   {"finetune", spent[r].cost.finetune},
                       {"paper", spent[r].cost.paper()}, {"with_cache", spent[r].cost.with_cache()}};
    else
      line["no_cost"] = spent[r].missing;
    document["runs"].push_back(line);
    const auto share = [&](double mine, double first) {
      return spent[r].known && spent[0].known && first > 0 ? number_text(mine / first, 2) : "–";
    };
    costs.add({runs[r].name, spent[r].known ? flop_text(spent[r].cost.paper()) : "not known",
               share(spent[r].cost.paper(), spent[0].cost.paper()),
               spent[r].known ? flop_text(spent[r].cost.with_cache()) : "not known",
               share(spent[r].cost.with_cache(), spent[0].cost.with_cache())});
  }
  for (std::size_t i = 0; i < metrics[0].rows.size(); ++i)
    for (std::size_t r = 0; r < runs.size(); ++r) {
      const EvaluationRow& row = metrics[r].rows[i];
      const PairedDifference difference = score_difference(row, metrics[0].rows[i]);
      std::vector<std::string> cells = {
          size_text(row), runs[r].name, score.text(row),
          r == 0 ? "" : with_error_text(difference.mean, difference.se, score.digits + 1)};
      for (std::string& text : scoring.compared_cells(metrics[0], metrics[r], i, r == 0))
        cells.push_back(std::move(text));
      quality.add(std::move(cells));
    }

  std::vector<RunConfig> configs;
  std::vector<Table::Column> titles = {{"", false}, {"setting", false}};
  for (const LoadedRun& run : runs) {
    configs.push_back(run.config);
    titles.push_back({run.name});
  }
  Table settings(titles);
  std::int64_t equal = 0;
  for (const SettingRow& row : setting_rows(configs)) {
    document["settings"].push_back({{"key", row.key}, {"values", row.values}, {"differs", row.differs}});
    equal += row.differs ? 0 : 1;
    if (!row.differs && !arguments.all_settings) continue;
    std::vector<std::string> cells = {row.differs ? "≠" : "", row.key};
    cells.insert(cells.end(), row.values.begin(), row.values.end());
    settings.add(std::move(cells));
  }
  std::string unknown;
  for (std::size_t r = 0; r < runs.size(); ++r)
    if (!spent[r].known) unknown += fmt::format("  The cost of {} is not known: {}.\n", runs[r].name, spent[r].missing);
  result.text =
      fmt::format("{}, {}: the same test sets for every run\n\n{}\nTraining cost\n{}{}\nSettings ({} equal{})\n{}",
                  runs[0].task->info().title, metrics[0].data, quality.text(2), costs.text(2), unknown, equal,
                  arguments.all_settings ? "" : ", shown with --all-settings", settings.text(2));
  return result;
}

}  // namespace

Action add_compare(CLI::App& app, const Catalog& tasks) {
  const auto arguments = std::make_shared<CompareArguments>();
  arguments->open.tasks = tasks;
  app.add_option("RUN", arguments->runs, "Two or more run folders, or task names for shipped weights")->required();
  app.add_option("--sizes", arguments->sizes, "Set sizes (default: the first run's)")->type_name("N,N,...");
  app.add_option("--sets", arguments->sets, "Test sets: one number, or one per size (default: the first run's)")
      ->type_name("M,M,...");
  app.add_option("--samples", arguments->samples,
                 "Posterior samples a set (default: 199; of images the first run's evaluate.samples)")
      ->type_name("S")
      ->transform(whole_number(0, 10000000));
  app.add_option("--seed", arguments->seed, "Seed of the test sets")
      ->type_name("N")
      ->transform(whole_number(0, 9007199254740992))
      ->capture_default_str();
  app.add_flag("--all-settings", arguments->all_settings, "Show equal settings too");
  add_open_arguments(app, arguments->open);
  app.footer(
      R"(Example:
  pairs --batch compare runs/digits-pairs runs/digits-n1 --sizes 1,10,100
Differences are paired: mean over the same test sets of this run's NLL (images: squared error of the posterior
mean) minus the first's, with its standard error. Means apart: how far the posterior means lie from the first's
on the same sets, rms in units of the posterior sd; at least half of it is the error of one of the two.
Runs of a task of your own on other data (stored sets next to a simulator) are scored on the first run's test
sets.
Cost counts forward FLOPs times three (the paper's rule), and again with stage 2's forward passes; of a run that
started from another's weights, the other's are counted, too. What is measured here is not stored: evaluate does.)");
  return [arguments] { return compare(*arguments); };
}

}  // namespace pairs::batch
