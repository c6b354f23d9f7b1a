#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "app/batch/parts/arguments.h"
#include "app/batch/parts/command.h"
#include "app/batch/parts/drive.h"
#include "app/batch/parts/export_sets.h"
#include "app/batch/parts/numbers.h"
#include "app/batch/parts/printed_evaluation.h"
#include "app/batch/parts/result_file.h"
#include "app/batch/parts/sampler_options.h"
#include "app/kinds/target_room.h"
#include "app/posterior/source/refined_source.h"
#include "app/runs/invalid_text.h"
#include "app/runs/learned_product.h"
#include "app/runs/task_words.h"
#include "app/scores/companion.h"
#include "app/scores/further_tests_text.h"
#include "app/scores/learned.h"
#include "app/scores/sharpness.h"
#include "app/scores/verdict.h"
#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "core/report/number_text.h"
#include "core/train/settings/config.h"

namespace pairs::batch {
namespace {

// A sentence, without its full stop, on the mass of unrestricted posteriors outside the supports; "" if there is none.
std::string reach_text(const Estimator& estimator, const std::vector<EvaluationRow>& rows) {
  if (estimator.confined()) return "";
  std::string sizes;
  for (const EvaluationRow& row : rows)
    if (const double share = row.score("outside"); share >= 5e-5)
      sizes += fmt::format("{}{:.2g} % at N = {}", sizes.empty() ? "" : ", ", 100 * share, count_text(row.n));
  return sizes.empty() ? ""
                       : "Outside the targets' supports, since restrict = false leaves heads as they are, lie " +
                             sizes + " of the posteriors";
}

constexpr std::int64_t kRefinedSets = 100;  // of each size, where a run refines its posteriors

struct EvaluateArguments {
  std::string run, sizes, sets, out, companion, exported;
  OpenArguments open;
  SamplerOptions sampler;
  std::int64_t samples = -1, seed = 1, learned_product = 0, refine = -1;  // refine: -1: where the run can
  bool no_references = false, force = false, overwrite = false;
};

// Throws if the run has no learned product, or none at these sizes.
void check_learned_product(const LoadedRun& run, const std::vector<std::int64_t>& sizes) {
  if (const std::string why = no_learned_product(run); !why.empty())
    fail_usage("--learned-product is the product of a run's posteriors at N = 1: {}; leave it out", why);
  if (std::none_of(sizes.begin(), sizes.end(), [](std::int64_t n) { return n <= kMostLearnedProduct; }))
    fail_usage("--learned-product is computed from at most {} observations; name smaller sets with --sizes",
               count_text(kMostLearnedProduct));
}

EvaluationOptions resolve(const LoadedRun& run, const EvaluateArguments& arguments) {
  EvaluationOptions options = evaluation_options(run);
  if (!arguments.sizes.empty()) {
    options.sizes = parse_sizes(arguments.sizes, "--sizes", "--sizes ");
    for (const std::int64_t n : options.sizes)
      if (!arguments.force && n > run.estimator->max_n())
        fail_usage(
            "--sizes asks for N = {}, but {} saw sets of at most {}; --force scores it all the same, as "
            "extrapolation",
            count_text(n), run.name, count_text(run.estimator->max_n()));
    for (const std::int64_t n : options.sizes)
      if (n > run.task->info().max_n)
        fail_usage("--sizes asks for N = {}, beyond N = {}, the maximum for task {}", count_text(n),
                   count_text(run.task->info().max_n), run.task->info().name);
    if (options.sets.size() != 1) options.sets = {2000};
  }
  if (!arguments.sets.empty()) options.sets = parse_counts(arguments.sets, "--sets", "--sets ");
  check_per_size(options.sets.size(), options.sizes.size(), "--sets");
  if (arguments.refine == 1) fail_usage("--refine 1 has no spread to measure; give 2 or more, or 0 to leave it out");
  if (arguments.samples == 1)
    fail_usage("--samples 1 has no spread to measure; give 2 or more, or 0 to leave them out");
  if (arguments.samples >= 0) options.samples = arguments.samples;
  if (arguments.no_references) options.references.clear();
  options.learned_product = arguments.learned_product;
  if (options.learned_product > 0) check_learned_product(run, options.sizes);
  if (arguments.refine > 0) {
    if (const std::string why = not_refined(run); !why.empty()) fail_usage("--refine cannot serve this run: {}", why);
    options.made = refined_density(run, arguments.refine, keep_going);
  } else if (arguments.refine < 0 && refiner_of(run, SourceWish::best)) {
    options.made = refined_density(run, kRefinedSets, keep_going);
  }
  options.seed = static_cast<std::uint64_t>(arguments.seed);
  return options;
}

// The options at the sizes that another run also has.
EvaluationOptions shared_options(const LoadedRun& other, EvaluationOptions options) {
  const std::vector<std::int64_t> heads = other.estimator->sizes();
  EvaluationOptions shared = options;
  shared.sizes.clear();
  if (options.sets.size() > 1) shared.sets.clear();
  for (std::size_t i = 0; i < options.sizes.size(); ++i) {
    const std::int64_t n = options.sizes[i];
    const bool served = heads.empty() || std::find(heads.begin(), heads.end(), n) != heads.end();
    if (!served || n > other.estimator->max_n()) continue;
    shared.sizes.push_back(n);
    if (options.sets.size() > 1) shared.sets.push_back(options.sets[i]);
  }
  if (shared.sizes.empty())
    fail_usage("--compare-with: {} answers for none of these set sizes; name some up to N = {} with --sizes",
               other.name, count_text(other.estimator->max_n()));
  shared.references.clear();
  shared.learned_product = 0;
  shared.made = {};
  shared.exact = false;
  shared.pool_replicates = 0;
  return shared;
}

LoadedRun open_beside(const LoadedRun& run, const EvaluationOptions& options, const EvaluateArguments& arguments) {
  target_room_of(run.task->info()).check_density(run.task->info(), "but --compare-with compares means of parameters");
  if (options.samples < 2) fail_usage("--compare-with needs posterior samples; leave --samples 0 out");
  LoadedRun other = open_run(arguments.companion, arguments.open);
  const std::string question = other_question(asked_task(run), asked_task(other));
  PAIRS_CHECK(question.empty(), "{}", question);
  check_same_data({run, other});
  if (weights_checksum(run) == weights_checksum(other))
    fail_usage("--compare-with names a run of the same weights as {}; train one with another --seed", run.name);
  return other;
}

void report_exported(const std::vector<ExportedSets>& files, Result& result) {
  for (const ExportedSets& one : files) {
    result.text += fmt::format("Test sets: {}, {} sets of N = {} (content {})\n", one.file.string(),
                               count_text(one.sets), count_text(one.n), one.content);
    result.document["exported"].push_back(
        {{"file", one.file.string()}, {"n", one.n}, {"sets", one.sets}, {"content", one.content}});
  }
}

// {"level", "tests", "pooled_tests", "false_alarm_rate", "detectable_width", "pooled": [{"test", "target", "z", "p",
// "level"}]}.
nlohmann::json calibration_document(const std::vector<EvaluationRow>& rows, const EvaluationVerdict& verdict,
                                    const CalibrationLimits& limits) {
  const std::vector<PooledTest> pooled = pooled_tests(rows, limits);
  const WidthPower power = width_power(rows, limits, pooled);
  nlohmann::json out = {{"level", level_text(verdict.level)},
                        {"tests", limits.tests},
                        {"pooled_tests", limits.pooled_tests},
                        {"false_alarm_rate", {{"borderline", 0.05}, {"miscalibrated", 0.001}}},
                        {"detectable_width", {{"one_size", nullptr}, {"every_size", nullptr}}},
                        {"pooled", nlohmann::json::array()}};
  if (std::isfinite(power.one_size)) out["detectable_width"]["one_size"] = power.one_size;
  if (std::isfinite(power.every_size)) out["detectable_width"]["every_size"] = power.every_size;
  for (const PooledTest& one : pooled) {
    nlohmann::json test = {{"test", one.test == CalibrationTest::width ? "width" : "location"},
                           {"target", nullptr},
                           {"z", one.z},
                           {"p", one.p},
                           {"level", level_text(one.level)}};
    if (one.target >= 0) test["target"] = one.target;
    out["pooled"].push_back(std::move(test));
  }
  return out;
}

Result evaluate_command(const EvaluateArguments& arguments) {
  if (arguments.sampler.any() && arguments.out.empty())
    fail_usage(
        "--steps and --solver measure another sampler than the run's: name the file to write with --out FILE.json");
  const LoadedRun run = open_run(arguments.run, arguments.open);
  set_sampler(run, arguments.sampler);
  ProgressPrinter printer = stderr_printer();
  warn_only_pretrained(run);
  if (!arguments.out.empty()) {
    check_output(arguments.out, ".json");
    ResultFile(arguments.out, {.made = arguments.run, .overwrite = arguments.overwrite});
  } else if (!is_shipped(run.folder)) {
    try {
      check_writable(run.folder / run_file::metrics);
    } catch (const Error& error) {
      fail("{}, or save the evaluation elsewhere with --out FILE.json", error.what());
    }
    try {
      read_metrics(run.config.tasks, run.folder / run_file::metrics);
    } catch (const Error&) {
      printer.line(fmt::format("{} cannot be read and will be replaced", (run.folder / run_file::metrics).string()));
    }
  }
  const EvaluationOptions options = resolve(run, arguments);
  if (!arguments.exported.empty()) {
    check_output_folder(arguments.exported, true);
    check_export(run, options);
  }
  std::optional<LoadedRun> other;
  if (!arguments.companion.empty()) other = open_beside(run, options, arguments);
  Metrics metrics = evaluate_run(run, options, printer);
  std::vector<Metrics> others;
  if (other) {
    others.push_back(metrics_with_means(*other, shared_options(*other, options), printer));
    set_companion(metrics, others.front());
  } else {
    others = neighbor_metrics(run.config.tasks, run.folder, metrics);
  }
  std::string place;
  Result result;
  if (!arguments.out.empty()) {
    write_file(arguments.out, metrics_text(metrics));
    ResultFile(arguments.out, {.made = arguments.run, .overwrite = true}).written();
    place = arguments.out;
  } else if (!is_shipped(run.folder)) {
    try {
      if (save_metrics(run, metrics))
        place = (run.folder / run_file::metrics).string();
      else
        printer.line(fmt::format("{} holds more and is kept; save this evaluation with --out FILE.json",
                                 (run.folder / run_file::metrics).string()));
    } catch (const Error& error) {
      // The results are printed nevertheless.
      printer.line(error.what());
      result.exit_code = 1;
    }
  }
  result.document = metrics_document(metrics);
  result.text = fmt::format("{}: {} ({}{}{})\n\n{}", run.task->info().title, run.name, metrics.data,
                            metrics.sampler.empty() ? "" : "; ", metrics.sampler, metrics_table(metrics.rows, 2));
  std::vector<std::string> targets;
  for (const Target& target : run.task->info().targets) targets.push_back(target.label);
  const EvaluationVerdict verdict = evaluation_verdict(metrics.rows, {targets, 0, metrics.companion});
  if (!verdict.text.empty()) {
    result.text += fmt::format("\n{}.\n", verdict.text);
    result.document["verdict"] = verdict.text;
    if (learned_nothing(metrics.rows)) result.document["learned_nothing"] = true;
  }
  std::string gains;
  for (const std::string& text : gain_texts(metrics.rows)) gains += text + ".\n";
  for (const std::string& text : made_calibration_texts(metrics.rows, targets)) {
    gains += text + ".\n";
    result.document["made_calibration"].push_back(text);
  }
  if (!gains.empty()) result.text += "\n" + gains;
  const Sharpness sharp = sharpness(metrics, others);
  result.document["sharpness"] = sharpness_document(sharp);
  if (const std::string text = sharpness_text(sharp); !text.empty() && !learned_nothing(metrics.rows))
    result.text += fmt::format("\n{}.\n", text);
  if (const std::string text = reach_text(*run.estimator, metrics.rows); !text.empty()) {
    result.text += fmt::format("\n{}.\n", text);
    result.document["outside_note"] = text;
  }
  if (verdict.level != CalibrationLevel::unknown) {
    const CalibrationLimits limits = calibration_limits(metrics.rows);
    result.document["calibration"] = calibration_document(metrics.rows, verdict, limits);
    for (std::size_t i = 0; i < metrics.rows.size(); ++i)
      if (const RowCalibration row = calibration(metrics.rows[i], limits); row.level != CalibrationLevel::unknown)
        result.document["rows"][i]["calibration"] = level_text(row.level);
  }
  if (const std::string further = further_text(metrics.rows, targets, 2); !further.empty()) {
    result.text += fmt::format("\n{}", further);
    result.document["further_tests"] = further_document(further_verdict(metrics.rows, targets));
  }
  if (const std::string note = calibration_note(metrics.rows); !note.empty())
    result.text += fmt::format("\n{}\n", note);
  if (const std::string note = subject_note(metrics); !note.empty()) result.text += fmt::format("\n{}\n", note);
  if (const nlohmann::json invalid = invalid_of_run(run.folder); !invalid.is_null()) {
    result.document["invalid"] = invalid;
    result.text += "\n" + invalid_text(invalid);
  }
  if (!place.empty()) result.text += fmt::format("\nMetrics: {}\n", place);
  if (!arguments.exported.empty())
    report_exported(export_sets(run, options, metrics, arguments.exported, keep_going), result);
  return result;
}

}  // namespace

Action add_evaluate(CLI::App& app, const Catalog& tasks) {
  const auto arguments = std::make_shared<EvaluateArguments>();
  arguments->open.tasks = tasks;
  app.add_option("RUN", arguments->run, "A run folder, or a task's name for its shipped weights")->required();
  app.add_option("--sizes", arguments->sizes, "Set sizes, e.g. 1,2,10,100 (default: the run's evaluate.sizes)")
      ->type_name("N,N,...");
  app.add_option("--sets", arguments->sets, "Test sets: one number, or one per size (default: the run's evaluate.sets)")
      ->type_name("M,M,...");
  app.add_option("--samples", arguments->samples,
                 "Posterior samples a set (default: the run's evaluate.samples); 0 leaves out RMAE, calibration and "
                 "errors of images")
      ->type_name("S")
      ->transform(whole_number(0, 10000000));
  app.add_option("--seed", arguments->seed, "Seed of the test sets: the same seed gives the same sets to every run")
      ->type_name("N")
      ->transform(whole_number(0, 9007199254740992))
      ->capture_default_str();
  app.add_option("--compare-with", arguments->companion,
                 "Another run of the task, best the same strategy with another seed: how far its posterior means lie "
                 "from this one's, in units of the posterior sd, on the same sets")
      ->type_name("RUN");
  app.add_option("--learned-product", arguments->learned_product,
                 fmt::format("Also score the product of the run's own posteriors at N = 1, over the prior: on the "
                             "first M sets of each size up to {}",
                             count_text(kMostLearnedProduct)))
      ->type_name("M")
      ->transform(whole_number(2, 1000000));
  app.add_option(
         "--refine", arguments->refine,
         "Also score the posterior by the run's learned likelihood (pairs --batch likelihood), on the first M "
         "sets of each size, and what the run loses to it; 0: not (default: 100 where the run has compared them)")
      ->type_name("M")
      ->transform(whole_number(0, 1000000));
  app.add_flag("--no-references", arguments->no_references,
               "Score the exact posterior alone, not the task's other references");
  app.add_option(
         "--export", arguments->exported,
         "Also write the test sets into this new folder, a file nN.npz a size: theta, psi, given, x, and the set "
         "of each observation")
      ->type_name("DIR");
  add_overwrite_option(app, arguments->overwrite);
  app.add_flag("--force", arguments->force, "Score set sizes beyond those that the run saw, too: extrapolation");
  add_sampler_options(app, arguments->sampler);
  app.add_option("--out", arguments->out,
                 "Write the metrics here (default: RUN/metrics.json; nowhere for shipped weights)")
      ->type_name("FILE");
  add_open_arguments(app, arguments->open);
  app.footer(with_task_names(
      R"(Examples:
  pairs --batch evaluate {exact} --sizes 2,10,100 --sets 10000
  pairs --batch evaluate {first} --sizes 1,10 --sets 200 --learned-product 20
  pairs --batch evaluate {first} --sizes 10 --sets 200 --export tested
  pairs --batch evaluate runs/digits --json > digits.json
NLL: mean of -log posterior density of the truth. exact: the same for the exact posterior, same sets.
learned product: the run's NLL plus the deficit of the product of its posteriors at N = 1 on the first sets.
gap: their difference. sd: mean posterior sd. RMAE: mean |posterior mean - truth| over the prior's width.
ACAUC: mean |coverage - level| over the levels of central intervals. noise floor: the ACAUC that a
calibrated estimator has with so many sets; in brackets its 95th percentile, corrected for the number of
tests. ACAUC is blind to a bias that too wide a posterior hides, so it alone does not show calibration.
location z, width z: mean rank of the truth among the samples less 1/2, and mean |rank - 1/2| less that of uniform
ranks, in standard errors, one number per target; width z above zero: too narrow. rank p: chi-square of the ranks
in bins of equally many of the S + 1 values (S = 299, 499, ... divide evenly). calibration: none detected, borderline
or miscalibrated. All tests, those pooled over sizes and targets included, are one family: family-wise false-alarm
rate 5 % (borderline), 0.1 % (miscalibrated). The verdict names the width that would have been seen with 80 %. It is
on average over the prior: a run without a fault may be far from the exact posterior of one set.
means apart: of the run that --compare-with names, rms over the same sets of (mean - other mean) / sd; at least
half of it is one run's own error.
Where a task draws from a finite pool (the test images of a data set), pool_location_sd: sd of
the mean rank over such pools, from a bootstrap over the pool, and over those of as many observations as stage 2
drew from; pool_location_z: the location in standard errors of sets and pools together.
Further tests, on the same samples (C2ST: of 100 sets or more, with 53 samples or more each):
ECDF p: the ranks' distribution function by simultaneous bands. TARP: coverage of credible regions about random
points, all targets together; in brackets what a calibrated run stays below in 95 % of evaluations. C2ST: how
often a classifier picks the truth out of the truth and a draw of its posterior, 1/2 where that is exact. region
p: coverage in the worst of ten regions of the posterior mean. They belong to that family; the figures
ecdf, tarp, c2st, regions, recovery and contraction draw them.
Images instead: mse: mean squared error per pixel of one sample (averaged over the samples). mse_posterior: of the
posterior mean, (S mse_mean - mse) / (S - 1) from the mean of all S samples, free of their noise. mse_prior: of
the mean image of the test targets; a prior sample has twice that. mse_share and mse_posterior_share: over
mse_prior. Each size sees prefixes of the same sets, embedded once for the largest.
A run keeps the evaluation with the most sets; --out saves any.)"));
  return [arguments] { return evaluate_command(*arguments); };
}

}  // namespace pairs::batch
