#include "app/batch/figure/figure_forest.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "app/batch/infer/infer_sets.h"
#include "app/batch/parts/drive.h"
#include "app/batch/parts/numbers.h"
#include "app/posterior/figures/forest_figure.h"
#include "app/runs/strategy_look.h"
#include "core/base/system/streams.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/eval/metrics/interval.h"
#include "core/report/number_text.h"

namespace pairs::batch {

void add_forest_options(CLI::App& app, ForestArguments& arguments) {
  app.add_option("--sort", arguments.order,
                 "forest: how sets stand from the top: file (as they come), name, or mean (of the first target)")
      ->type_name("BY")
      ->capture_default_str();
  app.add_option("--first", arguments.most, "forest: draw so many of the sets, in that order")
      ->type_name("K")
      ->transform(whole_number(1, 300))
      ->capture_default_str();
}

Figure draw_forest(const LoadedRun& run, const Question& question, const ForestArguments& own,
                   std::vector<std::string>& warnings) {
  const std::string words = printable(question.set.file.string(), 300);
  if (words.empty()) fail_usage("The figure forest is of many sets: name them with --data, and --group COLUMN");
  InferArguments arguments;
  arguments.question = question;
  arguments.question.seed = question.set.seed;
  ForestOptions options;
  options.order = forest_order(own.order, "--sort");
  options.interval = question.interval;
  options.most = own.most;
  options.role = strategy_role(run.config.strategy);
  options.source = fmt::format("{}; {}", words, run.name);
  if (!asks_many_sets(run, arguments))
    fail_usage("{} is one set; name the column that separates many with --group, or draw it with figure posterior",
               words);
  SetsQuestion sets = sets_question(run, arguments);
  sets.asked.within = false;  // the figure draws only numbers
  const AskedRun asked = asked_run(run, sets);
  Forest forest(run.task->info(), options);
  std::int64_t dropped = 0;
  answer_sets(
      asked, *sets.sets, sets.asked,
      [&](const SetRow& row) {
        dropped += row.dropped;
        forest.add(row);
      },
      keep_going);
  const auto warn = [&](std::string text) {
    print("warning: " + text + "\n");
    warnings.push_back(std::move(text));
  };
  if (std::string text = left_out_text(*sets.sets); !text.empty()) warn(std::move(text));
  if (dropped > 0)
    warn(fmt::format("{} with a missing value left out; posteriors assume that values are missing at random",
                     counted(static_cast<std::size_t>(dropped), "observation")));
  if (forest.unanswered() > 0)
    warn(fmt::format("{} have no posterior and are left out; infer reports why",
                     counted(static_cast<std::size_t>(forest.unanswered()), "set")));
  if (forest.left_out() > 0)
    warn(fmt::format("{} are left out, since {} are drawn; --first asks for more",
                     counted(static_cast<std::size_t>(forest.left_out()), "set"), options.most));
  return forest.figure();
}

}  // namespace pairs::batch
