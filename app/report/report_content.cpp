#include "app/report/report_content.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "app/kinds/target/parameters_room.h"
#include "app/kinds/target_room.h"
#include "app/posterior/answer/item_document.h"
#include "app/posterior/answer/refined_answer.h"
#include "app/posterior/caveats/disagreement_text.h"
#include "app/posterior/caveats/local_test_text.h"
#include "app/posterior/caveats/verdict.h"
#include "app/posterior/checks/foreign_observations.h"
#include "app/posterior/figures/prior_figure.h"
#include "app/posterior/files/derived_report.h"
#include "app/posterior/files/posterior_samples.h"
#include "app/posterior/files/refined_report.h"
#include "app/posterior/frequentist/frequentist_text.h"
#include "app/posterior/set/set_kind.h"
#include "app/runs/places.h"
#include "app/runs/run_about.h"
#include "app/runs/run_shades.h"
#include "app/scores/run_evaluation.h"
#include "app/scores/sharpness.h"
#include "core/base/files/digest.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/eval/references/marginal_likelihood.h"
#include "core/report/number_text.h"
#include "core/train/run/simulator_record.h"

namespace pairs {
namespace {

constexpr std::int64_t kTestSets = 2000;  // if a run has different numbers for different N, as for `evaluate --sizes`

void check_size(const LoadedRun& run, const ReportQuestion& question, const ObservedSet& set) {
  const std::int64_t n = question.asked.n, trained = run.estimator->max_n();
  PAIRS_CHECK(n >= 1 && n <= set.held(), "A report of N = {} is asked for, but {} holds {}; ask for at most {}",
              count_text(n), set.name(), count_text(set.held()), set.held());
  PAIRS_CHECK(
      n <= run.task->info().max_n,
      "A report of N = {} is asked for, but task {} is defined up to N = {}; use the first with --n or as many at "
      "random with --random",
      count_text(n), run.task->info().name, count_text(run.task->info().max_n));
  PAIRS_CHECK(question.force || n <= trained,
              "A report of N = {} is asked for, but {} saw sets of at most {}; use fewer with --n, train with larger "
              "sets, or pass --force to extrapolate",
              count_text(n), run.name, count_text(trained));
}

void add_warning(ReportContent& content, const std::string& text) {
  if (std::find(content.warnings.begin(), content.warnings.end(), text) == content.warnings.end())
    content.warnings.push_back(text);
}

void ask_run(ReportContent& content, Monitor& monitor) {
  SetPosterior& posterior = *content.posterior;
  posterior.embed_until(content.n(), [&] { return !monitor.should_stop(); });
  const Question& asked = content.question.asked;
  posterior.refine_by(
      refiner_of(posterior.runs().front().loaded, asked.source), asked.source, [&] { return !monitor.should_stop(); },
      asked.seed);
  content.answer = posterior.answer(content.n());
  const TargetRoom& room = target_room_of(content.info());
  const std::int64_t draws = room.in_folder() ? content.question.draws : std::max(content.question.draws, room.draws());
  content.samples = posterior.samples(content.answer, draws, content.question.asked.seed);
  content.ours = content.answer.shown_numbers(posterior.task(), posterior.runs().front());
  content.exact = content.answer.exact_numbers();
  for (const PosteriorWarning& one : posterior.all_warnings(content.answer))
    if (one.kind != WarningKind::left_out) add_warning(content, one.text);
  if (std::string text = peaks_text(posterior.task(), content.answer); !text.empty()) add_warning(content, text);
  for (const std::string& problem : content.answer.problems) add_warning(content, problem);
  content.derived = derived_numbers(derived_quantities(content.question.asked.derived, content.info()),
                                    content.answer.sources, content.info().targets);
  for (const DerivedNumbers& one : content.derived)
    if (const std::string text = undefined_text(one); one.ours && !text.empty()) add_warning(content, text);
  if (!content.answer.sources.front().log_density || !content.ours.empty()) return;
  add_warning(content, sample_numbers_text(content.samples.size(0)));
  content.ours = sample_numbers(content.info().targets, content.samples);
}

void report_posterior(ReportContent& content) {
  const TaskInfo& info = content.info();
  const TargetRoom& room = target_room_of(info);
  const IntervalKind interval = content.question.asked.interval;
  if (const std::string text = around_text(info, content.ours, interval); !text.empty()) add_warning(content, text);
  SampleReport reported = room.report(info, content.samples, content.ours, interval, content.table);
  content.infer = std::move(reported.document);
  for (auto& [name, png] : reported.pictures) content.pictures.push_back({std::move(png), name});
  if (!content.exact.empty()) {
    content.infer["exact"] = numbers_document(content.exact, interval);
    add_numbers(content.table, info, "exact", content.exact, interval);
  }
  report_refined(content.answer, info, interval, content.infer, content.table);
  report_derived(content.derived, interval, content.infer, content.table);
  content.infer["n"] = content.n();
  content.infer["draws"] = content.samples.size(0);
  content.infer["extrapolates"] = content.answer.extrapolates();
  content.infer["trained_on"] = content.run.estimator->data_source();
  add_item(content.infer, content.set(), content.posterior->runs().front().validated, content.set().name());
  add_typicality(content.infer, content.answer.typicality);
  add_disagreement(content.infer, content.answer.disagreement, info, content.run.config.ensemble);
}

// The predictive test with the defaults of `infer --predictive`.
void compare_with_model(ReportContent& content, Monitor& monitor) {
  content.no_predictive =
      content.question.sets == 0 ? "no set was simulated for this report" : no_predictive_test(content.run);
  if (content.question.sets != 0)
    content.usual = usual_tests(
        *content.posterior, content.n(), content.question.asked.seed, [&] { return !monitor.should_stop(); }, false);
  if (!content.no_predictive.empty()) return;
  PredictiveOptions options;
  options.seed = content.question.asked.seed;
  options.keep_going = [&] { return !monitor.should_stop(); };
  try {
    content.predictive = content.posterior->predictive_test(content.n(), options);
    content.infer["predictive"] = predictive_document(*content.predictive, content.info());
    if (const double p = content.predictive->test.p; p <= kUnlikeModel)
      content.cautions.push_back(fmt::format("the predictive test rejects the model (p = {:.2g}, below)", p));
  } catch (const Error& error) {
    content.no_predictive = sentence(error);
  }
}

// The further analyses requested, each as by its command.
void ask_further(ReportContent& content, Monitor& monitor) {
  const ReportQuestion& question = content.question;
  const SetPosterior& posterior = *content.posterior;
  const auto keep_going = [&] { return !monitor.should_stop(); };
  if (const std::shared_ptr<const OtherPrior> prior = other_prior(content.run.task, question.asked.prior)) {
    content.under = reweighed(*prior, content.answer.sources.front());
    content.under_figure = prior_figure(posterior, content.answer, prior, *content.under);
    content.infer["other_prior"] = reweighed_document(*content.under, content.info(), question.asked.interval);
    for (const PosteriorSource& source : content.answer.sources)
      if (source.role == SeriesRole::exact) {
        content.under_exact = reweighed(*prior, source);
        content.infer["other_prior"]["exact"] =
            reweighed_document(*content.under_exact, content.info(), question.asked.interval);
      }
    for (const std::string& warning : reweighed_warnings(*content.under)) add_warning(content, warning);
  }
  if (question.local_test > 0) {
    LocalTestOptions options;
    options.sets = question.local_test;
    options.seed = question.asked.seed;
    options.keep_going = keep_going;
    content.local = posterior.local_test(content.n(), options);
    content.infer["local_test"] = local_test_document(*content.local, content.info(), content.n());
  }
  if (question.observations) {
    try {
      content.singles =
          posterior.singles(content.n(), *refiner_of(content.run, SourceWish::both), question.asked.seed, keep_going);
      content.infer["observations"] =
          foreign_document(*content.singles, content.info(), content.set().first(content.n()));
    } catch (const Error& error) {
      content.no_singles = sentence(error);
      content.infer["no_observations"] = content.no_singles;
    }
  }
  if (question.confidence > 0) {
    ToyPlan counts;
    counts.toys = question.confidence;
    counts.null_toys = null_toys_of(question.confidence);
    content.confidence = set_confidence(posterior, content.n(), counts, keep_going, [](std::int64_t, std::int64_t) {});
    content.infer["frequentist"] = frequentist_document(content.confidence->answer);
  }
}

// The overall verdict on whether the model can produce such data, and the warnings that it withdraws.
void judge(ReportContent& content) {
  content.judged = content.usual.verdict(content.answer.typicality, p_of(content.predictive));
  if (content.singles) content.judged = foreign_verdict(std::move(content.judged), *content.singles);
  if (content.usual.within) content.infer["within"] = within_document(*content.usual.within);
  if (!content.usual.why_not.empty()) content.infer["no_within"] = content.usual.why_not;
  content.infer["verdict"] = verdict_document(content.judged);
  for (const PosteriorWarning& one : content.posterior->all_warnings(content.answer))
    if (withdrawn(one, content.judged)) std::erase(content.warnings, one.text);
  if (content.judged.rejected()) add_warning(content, verdict_warning(content.judged));
}

EvaluationOptions options_at(const ReportContent& content) {
  EvaluationOptions options = evaluation_options(content.run);
  options.sizes = {content.n()};
  if (options.sets.size() != 1) options.sets = {kTestSets};
  if (content.question.sets > 0) options.sets = {content.question.sets};
  if (content.question.test_seed) options.seed = *content.question.test_seed;
  return options;
}

void measure(ReportContent& content, Monitor& monitor) {
  if (content.question.sets == 0) return;
  const EvaluationOptions options = options_at(content);
  content.metrics = stored_metrics(content.run, &options);
  if (!content.metrics) content.metrics = evaluate_in(monitor, content.run, options);
  std::vector<std::string> labels;
  for (const Target& target : content.info().targets) labels.push_back(target.label);
  content.verdict = evaluation_verdict(content.metrics->rows, {labels, 0, content.metrics->companion});
  const LoadedRun& run = content.run;
  content.sharpness =
      sharpness_sentences(*content.metrics, neighbor_metrics(run.config.tasks, run.folder, *content.metrics), labels);
}

}  // namespace

std::string run_words(const ReportContent& content) {
  return is_shipped(content.run.folder) ? fmt::format("{}, shipped weights", content.question.asked.run)
                                        : content.run.name;
}

const Head& shown_head(const ReportContent& content) {
  Estimator& estimator = *content.run.estimator;
  return estimator.head(estimator.sizes().empty() ? 0 : content.n());
}

ReportContent report_content(const LoadedRun& run, ReportQuestion question, Monitor& monitor) {
  PAIRS_CHECK(!question.asked.set.simulated(), "A report is about a set that was observed: name its file");
  // Invalid requests throw before any work.
  if (!question.asked.derived.empty()) derived_quantities(question.asked.derived, run.task->info());
  other_prior(run.task, question.asked.prior);
  if (question.local_test > 0) check_local_test(run.task->info(), question.local_test);
  if (question.observations)
    if (const std::string why = not_refined(run); !why.empty())
      fail_usage("--observations cannot serve this run: {}", why);
  if (const std::string why = question.confidence > 0 ? no_frequentist_answers(*run.task) : ""; !why.empty())
    fail_usage("The task {} has no confidence intervals: {}", run.task->info().name, why);
  const bool own = question.local_test > 0 || question.confidence > 0;
  const bool replaced = own && question.asked.source == SourceWish::best;
  if (replaced) question.asked.source = SourceWish::run;
  if (own && question.asked.source == SourceWish::refined)
    fail_usage(
        "--local-test and --confidence are of the run's own posterior; leave --source refined out, or ask in two "
        "calls");
  if (target_room_of(run.task->info()).in_folder() && question.asked.interval != IntervalKind::central)
    fail_usage("--interval is of parameters, and the targets of task {} are images; leave it out",
               run.task->info().name);
  question.asked.set = seeded_item(*run.task, std::move(question.asked.set), question.asked.seed);
  const auto set = std::make_shared<ObservedSet>(run.task, question.asked.set);
  if (question.asked.n == 0)
    question.asked.n = set->of_item() && !question.force ? std::min(set->held(), run.estimator->max_n()) : set->held();
  if (question.draws == 0) question.draws = target_room_of(run.task->info()).draws();
  check_size(run, question, *set);
  ReportContent content{run,
                        question,
                        std::make_shared<SetPosterior>(set, std::vector<AskedRun>{{run, run_roles({run}).front()}}),
                        {},
                        {},
                        {},
                        {},
                        {},
                        Table(target_room_of(run.task->info()).report_columns(question.asked.interval)),
                        {},
                        {},
                        {},
                        {},
                        read_progress(run.folder / run_file::events),
                        cost_of(run)};
  content.notes = question.notes;
  if (const std::string note = read_about(run.folder).note; !note.empty())
    content.notes.push_back(fmt::format("On the run {}: {}", run.name, note));
  if (replaced)
    if (const std::string text = own_in_place_of_refined(run, content.n()); !text.empty()) add_warning(content, text);
  ask_run(content, monitor);
  report_posterior(content);
  if (const std::string changed = changed_simulator(run.folder, *run.task, [&] { return monitor.should_stop(); });
      !changed.empty())
    content.cautions.push_back(changed);
  if (const std::string problem = record_problem(run.config, content.progress, run.finetuned);
      !problem.empty() && std::filesystem::exists(run.folder / run_file::events))
    content.cautions.push_back(fmt::format("The record of the training of {} is not certain: {}", run.name, problem));
  compare_with_model(content, monitor);
  ask_further(content, monitor);
  judge(content);
  measure(content, monitor);
  if (std::error_code error; std::filesystem::is_regular_file(question.asked.set.file, error))
    content.digest = sha256_of(question.asked.set.file);
  return content;
}

}  // namespace pairs
