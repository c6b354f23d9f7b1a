#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>

#include "app/batch/figure/figure_evaluation.h"
#include "app/batch/figure/figure_forest.h"
#include "app/batch/figure/figure_names.h"
#include "app/batch/figure/figure_predictive.h"
#include "app/batch/figure/theorem_report.h"
#include "app/batch/parts/arguments.h"
#include "app/batch/parts/command.h"
#include "app/batch/parts/drive.h"
#include "app/batch/parts/logged_runs.h"
#include "app/batch/parts/numbers.h"
#include "app/batch/parts/own_task.h"
#include "app/batch/parts/printed_evaluation.h"
#include "app/batch/parts/question_options.h"
#include "app/batch/parts/result_file.h"
#include "app/kinds/samples_figure.h"
#include "app/posterior/figures/posterior_figure.h"
#include "app/posterior/figures/width_figure.h"
#include "app/runs/loss_figure.h"
#include "app/runs/run_labels.h"
#include "app/runs/run_shades.h"
#include "app/runs/task_words.h"
#include "app/scores/cost_figure.h"
#include "app/scores/score.h"
#include "app/scores/score_figures.h"
#include "app/text/table.h"
#include "core/base/fields/fields.h"
#include "core/base/files/files.h"
#include "core/base/system/streams.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/eval/metrics/interval.h"
#include "core/eval/references/learned_product.h"
#include "core/report/number_text.h"
#include "core/report/page_width.h"
#include "core/report/shades.h"
#include "core/train/run/cost.h"
#include "tasks/registry.h"

namespace pairs::batch {

namespace {

// The figures by name, in the order of `figure list`: those of scores, and all others.
struct FigureEntry {
  std::string name, summary;
};
const std::vector<FigureEntry>& figure_entries() {
  static const std::vector<FigureEntry> all = [] {
    std::vector<FigureEntry> out;
    for (const Score& score : score_list())
      if (score.drawn()) out.push_back({score.key, score.figure.summary});
    out.insert(
        out.end(),
        {{"posterior", "One set: the posterior sharpening with N around the truth, with its references"},
         {"predictive", "One set: histograms of it in the bands of sets that the model makes at its posterior"},
         {"forest", "Many sets: posterior mean and interval of each"},
         {"width", "One target and one nuisance: median posterior width against ψ, with the references"},
         {"location", "One target and one nuisance: posterior mean and sd against ψ, with the references"},
         {"loss", "Training and validation loss of the stages"},
         {"theorem", "Known sufficient statistics: 1 − R² of their affine map from the embedding while stage 1 trains"},
         {"pareto", "Training cost against NLL (images: squared error), one point a run"},
         {"samples", "What a set of the task looks like (a run, or a task's name)"}});
    return out;
  }();
  return all;
}

// "nll, gap, ..., ranks": the figures of scores.
std::string score_figure_names() {
  std::string names;
  for (const Score& score : score_list())
    if (score.drawn()) names += score.key + ", ";
  return names.substr(0, names.size() - 2);
}

std::vector<std::string> drawn_scores() {
  std::vector<std::string> names;
  for (const Score& score : score_list())
    if (score.drawn()) names.push_back(score.key);
  return names;
}

// The options that only some figures read, with those figures; all figures with a network except "loss" read those of
// the machine.
struct OptionReaders {
  const char* option;
  std::vector<std::string> figures;
};
const std::vector<OptionReaders>& option_readers() {
  static const std::vector<OptionReaders> all = {{"--index", {"posterior", "predictive", "samples"}},
                                                 {"--sets", {"width", "location"}},
                                                 {"--mcmc", {"width", "location"}},
                                                 {"--mcmc-chains", {"width", "location"}},
                                                 {"--mcmc-tuning", {"width", "location"}},
                                                 {"--mcmc-draws", {"width", "location"}},
                                                 {"--n", {"posterior", "predictive", "pareto", "forest"}},
                                                 {"--data", {"posterior", "predictive", "forest"}},
                                                 {"--table", {"posterior", "predictive", "forest"}},
                                                 {"--missing", {"posterior", "predictive", "forest"}},
                                                 {"--camera", {"posterior", "predictive"}},
                                                 {"--seed", {"posterior", "predictive", "forest"}},
                                                 {"--up", {"posterior", "predictive", "forest"}},
                                                 {"--conditions", {"posterior", "predictive", "forest"}},
                                                 {"--group", {"posterior", "predictive", "forest"}},
                                                 {"--member", {"posterior", "predictive"}},
                                                 {"--sort", {"forest"}},
                                                 {"--first", {"forest"}},
                                                 {"--random", {"posterior", "predictive", "forest"}},
                                                 {"--columns", {"posterior", "predictive", "forest"}},
                                                 {"--reader", {"posterior", "predictive", "forest"}},
                                                 {"--theta", {"posterior", "predictive"}},
                                                 {"--psi", {"posterior", "predictive"}},
                                                 {"--range", {"posterior"}},
                                                 {"--height", {"posterior"}},
                                                 {"--interval", {"posterior", "forest"}},
                                                 {"--shades", {"posterior"}},
                                                 {"--learned-product", {"posterior"}},
                                                 {"--refine", {"posterior"}},
                                                 {"--source", {"posterior", "forest"}},
                                                 {"--evaluation", drawn_scores()}};
  return all;
}

// Throws for given options that this figure, or the list of figures, does not read.
void check_read(const CLI::App& app, const std::string& figure) {
  const auto refuse = [&](const std::string& option, const std::string& readers) {
    if (app.count(option) > 0) fail_usage("The figure {} does not read {}{}; leave it out", figure, option, readers);
  };
  for (const OptionReaders& one : option_readers())
    if (std::find(one.figures.begin(), one.figures.end(), figure) == one.figures.end())
      refuse(one.option, fmt::format(", which is an option of {}", fmt::join(one.figures, " and ")));
  if (figure == "loss")
    for (const char* option : {"--device", "--threads"}) refuse(option, ", since no network is evaluated");
}

struct FigureArguments {
  std::string name, out, evaluation, range, height, shades;
  std::vector<std::string> runs;
  Question question;
  OpenArguments open;
  WidthOptions width;
  ForestArguments forest;
  double width_mm = 0;  // 0: the figure's own width
  bool overwrite = false;
};

Result list_figures() {
  Result result;
  result.document = {{"figures", nlohmann::json::array()}};
  Table table({{"figure", false}, {"shows", false}});
  for (const FigureEntry& entry : figure_entries()) {
    result.document["figures"].push_back({{"name", entry.name}, {"summary", entry.summary}});
    table.add({entry.name, entry.summary});
  }
  result.text = table.text();
  return result;
}

std::vector<LoadedRun> open_all(const FigureArguments& arguments) {
  if (arguments.runs.empty())
    fail_usage("The figure {} needs at least one run: pairs --batch figure {} RUN", arguments.name, arguments.name);
  std::vector<LoadedRun> runs;
  for (const std::string& name : arguments.runs) runs.push_back(open_run(name, arguments.open));
  return runs;
}

std::vector<Metrics> all_metrics(const std::vector<LoadedRun>& runs) {
  for (const LoadedRun& run : runs)
    PAIRS_CHECK(run.config.task == runs.front().config.task,
                "The runs {} and {} are of different tasks; draw one task at a time", runs.front().name, run.name);
  check_same_data(runs);
  for (const LoadedRun& run : runs) warn_only_pretrained(run);
  std::vector<LabeledRun> labeled;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k)
      if (std::error_code error; std::filesystem::equivalent(runs[k].folder, runs[i].folder, error))
        fail_usage("The run {} is named twice; name each run once", runs[k].name);
    labeled.push_back({runs[i].name, runs[i].config, runs[i].finetuned});
  }
  ProgressPrinter printer = stderr_printer();
  std::vector<Metrics> metrics;
  for (const LoadedRun& run : runs) metrics.push_back(metrics_of(run, printer));
  for (const Metrics& one : metrics)
    PAIRS_CHECK(one.seed != metrics.front().seed || !other_test_sets(one.rows, metrics.front().rows),
                "{} and {} were scored on different test sets; score them side by side with pairs --batch compare",
                metrics.front().run, one.run);
  // Strategy and preset form the legend if they distinguish the runs.
  const std::vector<std::string> labels = seed_labels(labeled);
  for (std::size_t i = 0; i < runs.size(); ++i)
    for (std::size_t k = 0; k < runs.size(); ++k)
      if (labels[k] != labels[i] && runs[k].config.strategy == runs[i].config.strategy &&
          runs[k].config.preset == runs[i].config.preset)
        metrics[i].label = labels[i];
  const std::vector<SeriesRole> roles = run_roles(runs);
  for (std::size_t i = 0; i < runs.size(); ++i) metrics[i].shade = shade_of(roles[i]);
  return metrics;
}

Figure draw_loss(const FigureArguments& arguments) {
  if (arguments.runs.empty()) fail_usage("The figure loss needs at least one run: pairs --batch figure loss RUN");
  std::vector<LossCurves> curves;
  for (LoggedRun& run : logged_runs(arguments.runs, arguments.open))
    curves.push_back(
        {run.name, run.config.strategy, std::move(run.progress), loss_label(run.config.estimator.head), run.shade});
  return loss_figure(curves);
}

Figure draw_pareto(const FigureArguments& arguments) {
  const std::vector<LoadedRun> runs = open_all(arguments);
  const std::vector<Metrics> metrics = all_metrics(runs);
  std::int64_t n = arguments.question.n;
  if (n == 0)
    for (const EvaluationRow& row : metrics.front().rows) n = std::max(n, row.n);
  std::vector<ParetoPoint> points;
  const Score& score = score_of(metrics.front().rows);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const RunCost cost = cost_of(runs[i]);
    PAIRS_CHECK(cost.known, "The cost of {} is not known: {}; leave it out of this figure", runs[i].name,
                printable(cost.missing, 300));
    const EvaluationRow* at = nullptr;
    for (const EvaluationRow& row : metrics[i].rows)
      if (row.n == n) at = &row;
    PAIRS_CHECK(at, "{} was not evaluated at N = {}; evaluate it with --sizes, or choose another N with --n",
                runs[i].name, n);
    points.push_back({runs[i].name, runs[i].config.strategy, cost.cost.paper(), cost.cost.with_cache(),
                      score.value(*at), score.error(*at), n, score.heading(), metrics[i].shade});
  }
  return pareto_figure(points);
}

Figure draw_samples(const FigureArguments& arguments) {
  if (arguments.runs.size() != 1)
    fail_usage("The figure samples needs one run or task: pairs --batch figure samples {}",
               task_in_role(TaskRole::first));
  std::error_code error;
  if (std::filesystem::exists(std::filesystem::path(arguments.runs[0]) / run_file::config, error))
    return samples_figure(*open_run(arguments.runs[0], arguments.open).task, arguments.question.set.index);
  TaskOptions options;
  options.data = data_folder(arguments.open.data);
  const std::string task = task_named(arguments.runs[0], {arguments.open.tasks, "", arguments.open.allow});
  return samples_figure(*arguments.open.tasks->make(task, options), arguments.question.set.index);
}

std::vector<AxisRange> ranges_of(const std::string& text) {
  const std::vector<double> ends = parse_numbers(text, "--range");
  std::vector<AxisRange> ranges;
  for (std::size_t k = 0; k + 1 < ends.size(); k += 2) ranges.emplace_back(ends[k], ends[k + 1]);
  if (ends.size() % 2 != 0 ||
      std::any_of(ranges.begin(), ranges.end(), [](AxisRange r) { return r.first >= r.second; }))
    fail_usage("--range {} is not a lower and an upper end for each target; write for example --range=-1,2.5",
               printable(text));
  return ranges;
}

std::vector<double> heights_of(const std::string& text) {
  const std::vector<double> heights = parse_numbers(text, "--height");
  if (std::any_of(heights.begin(), heights.end(), [](double height) { return !(height > 0); }))
    fail_usage("--height {} holds a height that is not above zero; densities begin there", printable(text));
  return heights;
}

std::vector<int> shades_of(const std::string& text) {
  std::vector<int> shades;
  for (const double shade : parse_numbers(text, "--shades")) {
    if (shade != std::floor(shade) || shade < 0 || shade >= kShades)
      fail_usage("--shades {} are not whole numbers from 0 to {}", printable(text), kShades - 1);
    shades.push_back(static_cast<int>(shade));
  }
  return shades;
}

// The first run must have a posterior at N, although it may extrapolate.
void check_size(const LoadedRun& run, std::int64_t n) {
  const TaskInfo& info = run.task->info();
  if (n > info.max_n)
    fail_usage("--n {} goes beyond N = {}, the maximum for task {}", count_text(n), count_text(info.max_n), info.name);
  const std::vector<std::int64_t> heads = run.estimator->sizes();
  if (!heads.empty() && std::find(heads.begin(), heads.end(), n) == heads.end())
    fail_usage("{} has heads for N = {} alone; give one of these with --n", run.name, fmt::join(heads, ", "));
}

// The question of figures about one set.
const Question& one_set(const FigureArguments& arguments) {
  const SetChoice& set = arguments.question.set;
  if (set.member.empty() && !set.group.empty())
    fail_usage("--group holds many sets; name one of them with --member, or draw all with figure forest");
  return arguments.question;
}

Figure draw_posterior(const FigureArguments& arguments, std::vector<std::string>& warnings) {
  PosteriorFigureOptions options;
  options.asked = one_set(arguments);
  options.ranges = ranges_of(arguments.range);
  options.heights = heights_of(arguments.height);
  options.shades = shades_of(arguments.shades);
  options.keep_going = keep_going;
  options.warn = [&](const PosteriorWarning& warning) {
    print(fmt::format("warning: {}\n", warning.text));
    warnings.push_back(warning.text);
  };
  const std::vector<LoadedRun> runs = open_all(arguments);
  if (arguments.question.n > 0) check_size(runs.front(), arguments.question.n);
  return posterior_figure(runs, options);
}

nlohmann::json mcmc_document(const McmcReport& report) {
  return {{"sets", report.sets()},
          {"r_hat", report.worst_r_hat()},
          {"effective_sample_size", report.least_effective()},
          {"not_agreeing", report.unsettled()},
          {"divergences", report.divergences()},
          {"seconds", report.seconds()},
          {"exact_seconds", report.exact_seconds()},
          {"miss_in_sd", report.settled_miss()},
          {"miss_in_sd_not_agreeing", report.unsettled_miss()}};
}

using DrawAgainstNuisance = WidthFigure (*)(const std::vector<LoadedRun>& runs, const WidthOptions& options,
                                            const std::function<bool()>& keep_going);
Figure draw_against_nuisance(DrawAgainstNuisance draw, const FigureArguments& arguments, Result& result) {
  WidthFigure drawn = draw(open_all(arguments), arguments.width, keep_going);
  if (drawn.mcmc) {
    result.document["mcmc"] = mcmc_document(*drawn.mcmc);
    for (const std::string& line : drawn.mcmc->lines()) result.text += line + "\n";
  }
  return std::move(drawn.figure);
}

// `result`: the output in addition to the figure.
Figure draw(const FigureArguments& arguments, Result& result, std::vector<std::string>& warnings) {
  const std::string& name = arguments.name;
  if (name == "theorem") {
    TheoremReport report = theorem_report(arguments.runs, arguments.open);
    result = {std::move(report.document), std::move(report.text)};
    return report.figure;
  }
  if (name == "loss") return draw_loss(arguments);
  if (name == "samples") return draw_samples(arguments);
  if (name == "pareto") return draw_pareto(arguments);
  if (name == "posterior") return draw_posterior(arguments, warnings);
  if (name == "predictive") {
    const Question& question = one_set(arguments);
    const std::vector<LoadedRun> runs = open_all(arguments);
    if (runs.size() != 1) fail_usage("The figure predictive is of one run; {} were given", runs.size());
    if (arguments.question.n > 0) check_size(runs.front(), arguments.question.n);
    return draw_predictive(runs.front(), question, result, warnings);
  }
  if (name == "forest") {
    const std::vector<LoadedRun> runs = open_all(arguments);
    if (runs.size() != 1) fail_usage("The figure forest is of one run; {} were given", runs.size());
    return draw_forest(runs.front(), arguments.question, arguments.forest, warnings);
  }
  if (name == "width") return draw_against_nuisance(width_figure, arguments, result);
  if (name == "location") return draw_against_nuisance(location_figure, arguments, result);
  const std::vector<LoadedRun> runs = open_all(arguments);
  check_figure_of(name, *runs.front().task);
  const Score& score = score_named(name);
  if (score.figure.alone && runs.size() != 1)
    fail_usage("The figure {} is of one run; {} were given", name, runs.size());
  std::vector<std::string> labels;
  for (const Target& target : runs[0].task->info().targets) labels.push_back(target.label);
  return score_figure(
      score, arguments.evaluation.empty() ? all_metrics(runs) : written_evaluation(arguments.evaluation, runs), labels);
}

Result figure_command(FigureArguments arguments) {
  if (arguments.name == "list") {
    if (!arguments.runs.empty()) fail_usage("figure list takes no runs; it names the figures");
    return list_figures();
  }
  const std::vector<std::string> names = figure_names();
  if (std::find(names.begin(), names.end(), arguments.name) == names.end()) {
    const std::string near = nearest(arguments.name, names);
    fail_usage("There is no figure {}{}; pairs --batch figure list names them", arguments.name,
               near.empty() ? "" : fmt::format(" (did you mean {}?)", near));
  }
  const bool named = !arguments.out.empty();
  if (!named) arguments.out = arguments.name + ".svg";
  const std::string extension = std::filesystem::path(arguments.out).extension().string();
  if (extension != ".svg" && extension != ".pdf" && extension != ".png" && extension != ".csv")
    fail_usage("--out {} must end in .svg, .pdf, .png or .csv", arguments.out);
  if (arguments.width_mm > 0 && extension == ".csv") fail_usage("--width-mm is that of a picture; a table has none");
  check_output(arguments.out, extension, {arguments.question.set.file});
  const ResultFile file(arguments.out, {fmt::format("{} {} {} {} {} {}", arguments.name, fmt::join(arguments.runs, " "),
                                                    arguments.question.set.file.string(), arguments.question.set.group,
                                                    arguments.question.set.member, arguments.question.set.index),
                                        named, arguments.overwrite});
  std::vector<std::string> warnings;
  Result result;
  Figure figure = draw(arguments, result, warnings);
  if (arguments.width_mm > 0) figure = fitted_to_width(std::move(figure), arguments.width_mm * kPointsPerMillimeter);
  write_figure(arguments.out, figure);
  file.written();
  result.document.update(
      {{"figure", arguments.name}, {"file", arguments.out}, {"source", figure.source}, {"warnings", warnings}});
  result.text += fmt::format("{}: {}\n", figure.title, arguments.out);
  return result;
}

void add_width_options(CLI::App& app, WidthOptions& options) {
  const auto count = [&](const char* name, std::int64_t& value, const char* type, std::int64_t low, const char* help) {
    return app.add_option(name, value, help)
        ->type_name(type)
        ->transform(whole_number(low, 1000000))
        ->capture_default_str();
  };
  count("--sets", options.sets, "M", 2, "width, location: sets for each ψ");
  count(
      "--mcmc", options.mcmc.sets, "M", 0,
      "width, location: run MCMC (the No-U-Turn sampler) on the first M of the sets for each ψ, and report its R-hat, "
      "effective sample size and time (the paper: 400 sets, 2 chains of 12,000 steps of tuning and 50,000 draws)");
  count("--mcmc-chains", options.mcmc.chains, "C", 1, "width, location: chains on each set");
  count("--mcmc-tuning", options.mcmc.tuning, "S", 0, "width, location: steps of tuning of each chain");
  count("--mcmc-draws", options.mcmc.draws, "S", 1, "width, location: draws of each chain, 8 at least");
}

// The options of chains are read only if there are chains.
void check_mcmc(const CLI::App& app, const McmcOptions& options) {
  for (const char* option : {"--mcmc-chains", "--mcmc-tuning", "--mcmc-draws"})
    if (app.count(option) > 0 && options.sets == 0)
      fail_usage("{} sets how chains are run; ask for them with --mcmc M", option);
  if (options.draws < 8) fail_usage("--mcmc-draws {} are too few to estimate R-hat; give 8 or more", options.draws);
}

}  // namespace

std::vector<std::string> figure_names() {
  std::vector<std::string> names;
  for (const FigureEntry& entry : figure_entries()) names.push_back(entry.name);
  return names;
}

Action add_figure(CLI::App& app, const Catalog& tasks) {
  const auto arguments = std::make_shared<FigureArguments>();
  arguments->open.tasks = tasks;
  app.add_option("NAME", arguments->name, "Which figure; list names them with a sentence each")->required();
  app.add_option("RUN", arguments->runs, "Run folders, or task names for shipped weights");
  app.add_option("--out", arguments->out, "FILE.svg, .pdf, .png or .csv (default: NAME.svg)")->type_name("FILE");
  app.add_option("--width-mm", arguments->width_mm,
                 "Lay the figure out on a page so wide, as a journal's column is, with texts in their own size")
      ->type_name("MM")
      ->transform(number(20, 1500));
  const auto options = std::make_shared<QuestionOptions>();
  QuestionOptionUse use;
  use.run = false;
  use.set.data = "posterior, predictive, forest: an observed set, or many, of your own, as infer takes it";
  for (const OptionReaders& one : option_readers())
    use.set.before[one.option + 2] = fmt::format("{}", fmt::join(one.figures, ", "));
  use.set.without["camera"] = "figures draw posteriors of parameters; infer --camera draws the view of a camera";
  use.n =
      "posterior: draw this N alone (default: growing N); pareto: set size (default: the largest evaluated); "
      "predictive: of the first N (default: all); forest: use the first N of each set (default: all)";
  use.interval =
      "posterior, forest: which intervals of 50 and 90 % are shown: central, hpd (highest density) or upper (limits)";
  use.learned_product = fmt::format(
      "posterior: also the product of the first run's posteriors at N = 1, over the prior, for sets of up to {}",
      count_text(kMostLearnedProduct));
  use.refine = "posterior: also the posterior by the first run's learned likelihood (pairs --batch likelihood)";
  use.source = "posterior, forest: which comes first: best (default), run or refined";
  add_question_options(app, *options, use);
  add_width_options(app, arguments->width);
  add_forest_options(app, arguments->forest);
  app.add_option("--evaluation", arguments->evaluation,
                 fmt::format("{}: the scores of this file, which evaluate --out wrote, in place of the one run's "
                             "metrics.json",
                             fmt::join(drawn_scores(), ", ")))
      ->type_name("FILE");
  const auto posterior_option = [&](const char* name, std::string& value, const char* help, const char* type) {
    app.add_option(name, value, help)->type_name(type);
  };
  posterior_option("--range", arguments->range, "posterior: bounds of the axis of each target (default: automatic)",
                   "LOW,HIGH,...");
  posterior_option("--height", arguments->height,
                   "posterior: largest density of each target's axis (default: automatic)", "H,...");
  posterior_option("--shades", arguments->shades, "posterior: shade of each run's color, 0 to 4 (default: automatic)",
                   "K,...");
  arguments->open.data_option = "--data-folder";
  app.add_option(arguments->open.data_option, arguments->open.data,
                 "Folder of real data in place of the run's; without this option, $PAIRS_DATA if it is set")
      ->type_name("DIR");
  add_machine_arguments(app, arguments->open);
  add_overwrite_option(app, arguments->overwrite);
  std::string footer =
      "Figures (pairs --batch figure list prints what each shows):\n"
      "  of scores: " +
      score_figure_names() +
      "\n"
      "  of sets: posterior, predictive, forest, width, location, samples\n"
      "  of training: loss, theorem, pareto\n"
      "Examples:\n"
      "  pairs --batch figure nll runs/a runs/b --out nll.svg\n"
      "  pairs --batch figure posterior {exact} --index 3 --out posterior.png\n"
      "  pairs --batch figure posterior {exact} --index 3 --n 500\n"
      "  pairs --batch figure posterior {first} --data events.csv --n 20\n"
      "  pairs --batch figure posterior {first} --data events.csv --n 20 --random 1\n"
      "  pairs --batch figure posterior {first} --theta=0.3 --psi=1.5 --n 64\n"
      "  pairs --batch figure posterior {first} --n 30 --learned-product\n"
      "  pairs --batch figure posterior {first} --n 30 --out column.pdf --width-mm 85\n"
      "  pairs --batch figure predictive {first} --data events.csv --n 20 --out predictive.pdf\n"
      "  pairs --batch figure forest {first} --data sets.csv --group run --sort mean --out forest.pdf\n"
      "  pairs --batch figure width {first} --sets 50 --mcmc 2\n" +
      score_figure_names() + " and pareto use the run's metrics.json and evaluate the run when it is missing.";
  app.footer(with_task_names(footer));
  return [arguments, options, &app] {
    const auto& known = figure_entries();
    if (std::any_of(known.begin(), known.end(), [&](const FigureEntry& one) { return one.name == arguments->name; }))
      check_read(app, arguments->name);
    check_mcmc(app, arguments->width.mcmc);
    if (arguments->name == "list")
      for (const CLI::Option* option : app.get_options())
        if (option->count() > 0 && option->nonpositional() && option->get_name() != "--json")
          fail_usage("figure list reads no {}; it names the figures", option->get_name());
    arguments->question = options->question();
    return figure_command(*arguments);
  };
}

}  // namespace pairs::batch
