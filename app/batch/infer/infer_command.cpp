#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "app/batch/infer/infer_follow.h"
#include "app/batch/infer/infer_local_test.h"
#include "app/batch/infer/infer_predictive.h"
#include "app/batch/infer/infer_prior.h"
#include "app/batch/infer/infer_question.h"
#include "app/batch/infer/infer_sets.h"
#include "app/batch/parts/command.h"
#include "app/batch/parts/drive.h"
#include "app/batch/parts/numbers.h"
#include "app/batch/parts/question_options.h"
#include "app/kinds/sample_plot.h"
#include "app/kinds/target/parameters_room.h"
#include "app/posterior/answer/item_document.h"
#include "app/posterior/caveats/disagreement_text.h"
#include "app/posterior/caveats/local_test_text.h"
#include "app/posterior/caveats/verdict.h"
#include "app/posterior/checks/foreign_observations.h"
#include "app/posterior/figures/prior_figure.h"
#include "app/posterior/files/derived_report.h"
#include "app/posterior/files/posterior_samples.h"
#include "app/posterior/files/refined_report.h"
#include "app/posterior/set/set_kind.h"
#include "app/posterior/set_posterior/set_posterior.h"
#include "app/posterior/set_posterior/usual_tests.h"
#include "app/posterior/source/derived.h"
#include "app/posterior/source/null_factor.h"
#include "app/posterior/source/refined_source.h"
#include "app/posterior/validation/external_validation_file.h"
#include "app/runs/task_words.h"
#include "app/text/table.h"
#include "core/base/fields/face.h"
#include "core/base/files/files.h"
#include "core/base/gpu/transfer.h"
#include "core/base/system/streams.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/eval/metrics/interval.h"
#include "core/given.h"
#include "core/report/figure.h"
#include "core/report/number_text.h"
#include "core/train/run/shipped.h"
#include "tasks/parts/items.h"

namespace pairs::batch {
namespace {

constexpr std::int64_t kScoresPrinted = 20, kViewsShown = 12;
constexpr const char* kOwnSetsAlone = "infer is about a set of your own; figure posterior shows simulated ones";

// The results for the observed set.
struct InferAnswer {
  PosteriorAnswer known;
  torch::Tensor samples;                               // [S, d]
  std::vector<TargetNumbers> ours, exact;              // none for images; exact: empty if unknown
  torch::Tensor scores, exact_scores, refined_scores;  // log densities of the values to score, or undefined
  torch::Tensor own_scores;                            // of the run's own posterior where the refined one comes first
  std::vector<std::string> warnings;                   // all that were printed
  std::vector<DerivedQuantity> derived;
  std::vector<DerivedNumbers> derived_numbers;
  std::optional<WithinTest> within;
  std::string no_within;  // why it is missing, a clause
  std::optional<SetPredictiveTest> predictive;
  std::optional<SingleObservations> singles;
  std::string no_singles;  // why it is missing though it was asked for, a clause
  ModelVerdict verdict;
};

void warn(InferAnswer& answer, const std::string& text) {
  answer.warnings.push_back(text);
  print(fmt::format("warning: {}\n", text));
}

const PosteriorSource* exact_source(const PosteriorAnswer& known) {
  for (const PosteriorSource& source : known.sources)
    if (source.role == SeriesRole::exact) return &source;
  return nullptr;
}

// Numbers of samples if the density has none.
void use_samples(const std::vector<Target>& targets, InferAnswer& answer) {
  warn(answer, sample_numbers_text(answer.samples.size(0)));
  answer.ours = sample_numbers(targets, answer.samples);
}

// The default tests of the model, a requested predictive test, and the verdict. A predictive test that only describes a
// set rejected by the test within the set does not affect it.
void judge(const InferQuestion& question, const InferArguments& arguments, InferAnswer& answer) {
  const bool asked = arguments.predictive > 0;
  UsualTests usual;
  if (arguments.predictive != 0)
    usual = usual_tests(*question.posterior, question.size, arguments.question.seed, keep_going, !asked);
  answer.predictive =
      asked ? infer_predictive(*question.posterior, question.size, arguments.predictive, arguments.question.seed)
            : std::move(usual.predictive);
  answer.verdict = usual.verdict(answer.known.typicality, asked ? p_of(answer.predictive) : PredictiveP());
  if (answer.singles) answer.verdict = foreign_verdict(std::move(answer.verdict), *answer.singles);
  answer.within = std::move(usual.within);
  answer.no_within = std::move(usual.why_not);
}

InferAnswer answer_of(const InferQuestion& question, const InferArguments& arguments) {
  SetPosterior& posterior = *question.posterior;
  const AskedRun& run = posterior.runs().front();
  InferAnswer answer;
  posterior.embed_until(question.size, keep_going);
  // The test of this very posterior is of the run's own.
  const bool own = arguments.local_test > 0;
  const SourceWish asked = arguments.question.source;
  const SourceWish wish = own && asked == SourceWish::best ? SourceWish::run : asked;
  if (wish != asked)
    if (const std::string text = own_in_place_of_refined(run.loaded, question.size); !text.empty()) warn(answer, text);
  posterior.refine_by(refiner_of(run.loaded, wish), wish, keep_going, arguments.question.seed);
  answer.known = posterior.answer(question.size);
  if (!arguments.observations.empty()) {
    try {
      answer.singles = posterior.singles(question.size, *refiner_of(run.loaded, SourceWish::both),
                                         arguments.question.seed, keep_going);
    } catch (const Error& error) {
      answer.no_singles = sentence(error);
    }
  }
  judge(question, arguments, answer);
  answer.samples = posterior.samples(answer.known, question.draws, arguments.question.seed);
  const PosteriorSource& source = answer.known.sources.front();
  const PosteriorSource* const exact = exact_source(answer.known);
  answer.ours = answer.known.shown_numbers(posterior.task(), run);
  answer.exact = answer.known.exact_numbers();
  // Skips warnings that a plot omits a posterior, since its numbers are printed; of the omitted ones, the run's own
  // comes first.
  bool skip = std::none_of(answer.known.numbers.begin(), answer.known.numbers.end(),
                           [](const PosteriorNumbers& one) { return one.ours; }) &&
              source.log_density != nullptr;
  for (const PosteriorWarning& one : posterior.all_warnings(answer.known)) {
    if (one.kind == WarningKind::left_out && (std::exchange(skip, false) || !exact || !answer.exact.empty())) continue;
    if (!withdrawn(one, answer.verdict)) warn(answer, one.text);
  }
  if (answer.verdict.rejected()) warn(answer, verdict_warning(answer.verdict));
  if (const std::string text = peaks_text(posterior.task(), answer.known); !text.empty()) warn(answer, text);
  for (const std::string& problem : answer.known.problems) warn(answer, problem);
  if (source.log_density && answer.ours.empty()) use_samples(posterior.task().info().targets, answer);
  answer.derived = derived_quantities(arguments.question.derived, posterior.task().info());
  answer.derived_numbers = derived_numbers(answer.derived, answer.known.sources, posterior.task().info().targets);
  for (const DerivedNumbers& one : answer.derived_numbers)
    if (const std::string text = undefined_text(one); one.ours && !text.empty()) warn(answer, text);
  if (question.theta.defined() && source.log_density) {
    answer.scores = source.log_density(question.theta);
    if (exact) answer.exact_scores = exact->log_density(question.theta);
    for (const PosteriorSource& one : answer.known.sources)
      if (one.name == kRefined) answer.refined_scores = one.log_density(question.theta);
    if (answer.known.refined_first()) answer.own_scores = answer.known.sources[1].log_density(question.theta);
  }
  return answer;
}

// The columns of a table that are not part of x.
std::vector<std::string> unused_columns(const ObservedSet& set) {
  std::vector<std::string> unused = set.columns();
  std::erase_if(unused, [&](const std::string& name) {
    const std::vector<Given>& given = set.task().info().given;
    const bool reported = set.choice().given.empty() &&
                          std::any_of(given.begin(), given.end(), [&](const Given& one) { return one.name == name; });
    return reported || std::find(set.taken().begin(), set.taken().end(), name) != set.taken().end();
  });
  return unused;
}

// The report on the target, with its table.
struct TargetReport {
  SampleReport said;
  Table table;
};

TargetReport report_of(const LoadedRun& run, const InferQuestion& question, const InferAnswer& answer,
                       IntervalKind interval) {
  const TaskInfo& info = run.task->info();
  const ObservedSet& set = question.set();
  const ExternalValidation& validated = question.posterior->runs().front().validated;
  const Typicality& typicality = answer.known.typicality;
  const TargetRoom& room = target_room_of(info);
  TargetReport report{{}, Table(room.report_columns(interval))};
  report.said = room.report(info, answer.samples, answer.ours, interval, report.table);
  nlohmann::json& document = report.said.document;
  document["draws"] = question.draws;
  if (question.written < question.draws) {
    torch::Tensor& samples = report.said.arrays.at("samples");
    samples = samples.slice(0, 0, question.written).contiguous();
  }
  if (!answer.exact.empty()) {
    document["exact"] = numbers_document(answer.exact, interval);
    add_numbers(report.table, info, "exact", answer.exact, interval);
  }
  report_refined(answer.known, info, interval, document, report.table);
  report_derived(answer.derived_numbers, interval, document, report.table);
  for (const NullFactor& one : answer.known.nulls)
    document["null"][one.ours ? "density_ratio" : "bayes_factor"] = one.factor;
  if (!answer.known.nulls.empty()) document["null"]["theta"] = face<HasNullValue>(*run.task)->null_value().theta;
  document["n"] = question.size;
  if (set.choice().missing == Missing::drop) document["dropped"] = set.dropped();
  document["task"] = info.name;
  document["run"] = run.name;
  document["trained_on"] = run.estimator->data_source();
  document["extrapolates"] = answer.known.extrapolates();
  document["targets"] = nlohmann::json::array();
  for (const Target& target : info.targets) document["targets"].push_back(target.name);
  add_item(document, set, validated, question.name);
  if (!given_text(set.task(), set.latents().given).empty())
    for (std::size_t k = 0; k < info.given.size(); ++k)
      document["conditions"][info.given[k].name] = doubles(set.latents().given)[k];
  document["warnings"] = answer.warnings;
  if (!set.taken().empty()) document["columns"] = {{"used", set.taken()}, {"unused", unused_columns(set)}};
  add_typicality(document, typicality);
  document["verdict"] = verdict_document(answer.verdict);
  add_disagreement(document, answer.known.disagreement, info, run.config.ensemble);
  report.said.arrays.merge(
      trust_arrays(typicality, !answer_warnings(*question.posterior, answer.known, answer.verdict).empty()));
  if (answer.scores.defined()) {
    report.said.arrays["theta"] = question.theta;
    report.said.arrays["log_density"] = answer.scores;
    document["log_density"] = doubles(answer.scores);
    if (answer.exact_scores.defined()) document["exact"]["log_density"] = doubles(answer.exact_scores);
    if (answer.refined_scores.defined()) document["refined"]["log_density"] = doubles(answer.refined_scores);
    if (answer.own_scores.defined()) document["run_alone"]["log_density"] = doubles(answer.own_scores);
  }
  return report;
}

// Writes the samples and their pictures, lists the files in the document, and returns a text on them.
std::string write_report(SampleReport& report, const TaskInfo& info, const std::vector<DerivedQuantity>& derived,
                         const InferQuestion& question, const OtherPrior* prior, const PosteriorSource* under) {
  const std::filesystem::path& out = question.out;
  const bool in_folder = target_room_of(info).in_folder();
  const std::filesystem::path file = in_folder ? out / "samples.npz" : out;
  if (in_folder) {
    std::error_code ignored;
    std::filesystem::create_directory(out, ignored);
  }
  SamplesOf of{question.set().first(question.size),
               {{"run", report.document.at("run")}, {"data", question.set().words()}},
               {},
               {}};
  if (prior) {
    torch::Tensor& samples = report.arrays.at("samples");
    if (under) samples = under->sample(samples.size(0), kFigureSeed).to(samples.dtype());
    of.weights = under ? torch::ones({samples.size(0)}, torch::kFloat64) : prior_weights(*prior, samples);
    of.reported["prior"] = prior->text();
  }
  for (const DerivedQuantity& one : derived)
    of.derived.emplace_back(one.name(), one.values(report.arrays.at("samples")));
  std::vector<ResultFile> pictures_written;  // checks all of them before any is replaced
  for (const auto& [name, bytes] : report.pictures) pictures_written.emplace_back(out / name, question.use);
  write_samples(file, report.arrays, info, of);
  ResultFile(file, {.made = question.use.made, .overwrite = true}).written();
  report.document["samples"] = file.string();
  std::string pictures;
  auto written = pictures_written.begin();
  for (const auto& [name, bytes] : report.pictures) {
    write_file(out / name, bytes);
    (written++)->written();
    report.document["pictures"].push_back((out / name).string());
    pictures += (pictures.empty() ? "" : ", ") + (out / name).string();
  }
  return fmt::format(fmt::runtime(report.notes), pictures) + fmt::format("Samples: {}\n", file.string());
}

// The first observations of an item, stored with the samples, which show how it was read.
std::filesystem::path write_views(const InferQuestion& question) {
  ObservedSet& set = question.set();
  Plot plot =
      sample_plot(set.task(), set.latents(), set.first(std::min(question.size, kViewsShown)), prior_view(set.task()));
  plot.legend = false;
  plot.title = set.read_as();
  Figure figure;
  figure.plots.push_back(std::move(plot));
  std::filesystem::path file = question.out;
  file.replace_filename(question.out.stem().string() + "-views.png");
  const ResultFile result(file, question.use);
  write_figure(file, figure);
  result.written();
  return file;
}

std::string columns_text(const ObservedSet& set) {
  const std::vector<std::string> unused = unused_columns(set);
  if (unused.empty()) return "";
  return fmt::format("\nColumns: {} (not used: {})\n", printable(fmt::format("{}", fmt::join(set.taken(), ", ")), 500),
                     printable(fmt::format("{}", fmt::join(unused, ", ")), 500));
}

std::string scores_text(const InferAnswer& answer) {
  if (!answer.scores.defined()) return "";
  const bool exact = answer.exact_scores.defined();
  std::vector<Table::Column> columns = {{"row"}, {"log density / nat"}};
  if (exact) columns.push_back({"exact / nat"});
  const bool refined = answer.refined_scores.defined();
  if (refined) columns.push_back({"refined / nat"});
  Table scored(columns);
  const std::int64_t count = answer.scores.size(0);
  for (std::int64_t i = 0; i < std::min(count, kScoresPrinted); ++i) {
    std::vector<std::string> cells = {count_text(i + 1), number_text(answer.scores[i].item<double>(), 4)};
    if (exact) cells.push_back(number_text(answer.exact_scores[i].item<double>(), 4));
    if (refined) cells.push_back(number_text(answer.refined_scores[i].item<double>(), 4));
    scored.add(std::move(cells));
  }
  const std::string rest =
      count > kScoresPrinted ? fmt::format("  … and {} more in the file\n", count_text(count - kScoresPrinted)) : "";
  return "\n" + scored.text(2) + rest;
}

// What the task accepts in addition to files of observations, by task.
std::string item_lines(const TaskCatalog& tasks) {
  std::string lines;
  for (const std::string& name : tasks.names()) {
    std::shared_ptr<const Task> task;
    try {
      task = tasks.make(name);
    } catch (const Error&) {
      continue;  // its error is reported when it is used
    }
    if (const Items* const known = face<Items>(*task))
      lines += fmt::format("{}  {}: {}", lines.empty() ? "Tasks that make observations of an item you have:\n" : "\n",
                           name, known->item_help());
  }
  return lines.empty() ? "" : "\n" + lines + "\nAn item's own θ is shown next to the posterior.";
}

// The verdict with its distance, and how to test further.
std::string verdict_text(const InferAnswer& answer, const InferArguments& arguments, const Typicality& typicality,
                         const Task& task) {
  std::string text = answer.verdict.text + ".";
  if (typicality.known)
    text += fmt::format(" Distance {:.3g} from the center of training sets of this size.", typicality.distance);
  if (answer.within) text += " " + within_text(*answer.within);
  if (!no_predictive_test(task).empty() || task.stored() != nullptr) return text;
  if (!answer.no_within.empty()) text += fmt::format(" By the mean embedding alone: {}.", answer.no_within);
  if (arguments.predictive <= 0 &&
      (answer.verdict.standing == ModelVerdict::Standing::edge || answer.verdict.warns() || !answer.no_within.empty()))
    text += " --predictive 200 tests whether the model makes such sets.";
  return text;
}

// How the table of single observations is written, whose name was typed.
ResultUse observations_use(const LoadedRun& run, const InferArguments& arguments) {
  ResultUse use = result_use(run, arguments);
  use.named = true;
  use.option = "--observations";
  return use;
}

Result infer(const InferArguments& arguments, bool json) {
  const LoadedRun run = open_run(arguments.question.run, arguments.open, false);
  set_sampler(run, arguments.sampler);
  derived_quantities(arguments.question.derived, run.task->info());  // fails before any computation
  if (!arguments.follow && arguments.data() != "-") check_fields(*run.task, arguments.question.set);
  const SourceWish source = arguments.question.source;
  const bool refined = source == SourceWish::both || source == SourceWish::refined;
  const char* const refines = source_option(source);
  if (refined)
    if (const std::string why = not_refined(run); !why.empty())
      fail_usage("{} cannot serve this run: {}", refines, why);
  if (!arguments.observations.empty())
    if (const std::string why = not_refined(run); !why.empty())
      fail_usage("--observations cannot serve this run: {}", why);
  if (target_room_of(run.task->info()).in_folder() && arguments.question.interval != IntervalKind::central)
    fail_usage("--interval is of parameters, and the targets of task {} are images; leave it out",
               run.task->info().name);
  if (asks_many_sets(run, arguments)) return infer_sets(run, arguments);
  const std::shared_ptr<const OtherPrior> prior = infer_prior(run, arguments);
  if (arguments.exact)
    fail_usage("--exact adds columns to a table of many sets; of one set the exact posterior is printed without it");
  if (arguments.follow && arguments.local_test > 0)
    fail_usage("--local-test takes a set as it stands; leave --follow out");
  if (arguments.follow && !arguments.question.set.member.empty())
    fail_usage("--member names a set of a file as it stands; leave --follow out");
  if (arguments.local_test > 0 && source == SourceWish::refined)
    fail_usage("--local-test tests the run's own posterior; leave --source refined out");
  const bool single = !arguments.observations.empty();
  if (single && arguments.follow) fail_usage("--observations takes a set as it stands; leave --follow out");
  if (single)
    check_output(arguments.observations, ".csv", {arguments.data(), arguments.theta, arguments.out}, "--observations");
  if (single && !arguments.out.empty() &&
      std::filesystem::weakly_canonical(arguments.observations) == std::filesystem::weakly_canonical(arguments.out))
    fail_usage("--observations and --out both name {}; give one of them another name",
               printable(arguments.observations, 300));
  const std::optional<ResultFile> table =
      single ? std::optional<ResultFile>(std::in_place, arguments.observations, observations_use(run, arguments))
             : std::nullopt;
  if (arguments.follow && refined) fail_usage("{} takes a set as it stands; leave --follow out", refines);
  if (arguments.follow && arguments.predictive > 0)
    fail_usage("--predictive takes a set as it stands; leave --follow out");
  if (arguments.follow) return infer_follow(run, arguments, json);
  if (arguments.data() == "-") fail_usage("--data - reads lines from standard input as they come: add --follow");
  const TaskInfo& info = run.task->info();
  const IntervalKind interval = arguments.question.interval;
  if (arguments.local_test > 0) check_local_test(run.task->info(), arguments.local_test);
  std::string changed;
  if (arguments.predictive > 0) changed = check_predictive(run, arguments.predictive);
  const InferQuestion question = infer_question(run, arguments);
  const InferAnswer answer = answer_of(question, arguments);
  ObservedSet& set = question.set();
  const Typicality& typicality = answer.known.typicality;
  TargetReport report = report_of(run, question, answer, interval);
  Result result;
  result.text = fmt::format("{}: posterior of {} from the {}N = {} observation{} of {}{}\n\n{}{}", info.title, run.name,
                            question.size == set.held()     ? ""
                            : arguments.question.set.random ? "random "
                                                            : "first ",
                            count_text(question.size), question.size == 1 ? "" : "s", question.name,
                            answer.known.extrapolates() ? " (training saw other sizes)" : "", report.table.text(2),
                            scores_text(answer));
  result.text += columns_text(set);
  if (set.dropped() > 0)
    result.text += fmt::format("\nLeft out: {}\n", dropped_text(set.dropped(), set.held() + set.dropped()));
  if (const std::string given = given_text(set.task(), set.latents().given); !given.empty())
    result.text += fmt::format("\nGiven: {}\n", given);
  if (!answer.known.nulls.empty()) result.text += fmt::format("\n{}\n", answer.known.null);
  for (std::size_t t = 0; t < answer.ours.size() && interval == IntervalKind::central; ++t)
    if (answer.ours[t].peak_outside())
      result.text += fmt::format(
          "\nThe density of {} is highest outside its central interval of 90 %: --interval hpd or upper is more "
          "informative\n",
          info.targets[t].label);
  if (const std::string text = around_text(info, answer.ours, interval); !text.empty())
    result.text += fmt::format("\n{}\n", text);
  std::string of_item;
  for (const std::string& text : item_texts(run, set, question.posterior->runs().front().validated))
    of_item += text + "\n";
  if (!of_item.empty()) result.text += "\n" + of_item;
  result.text += "\n" + verdict_text(answer, arguments, typicality, *run.task) + "\n";
  if (const std::string text = refined_line(answer.known); !text.empty()) result.text += fmt::format("\n{}\n", text);
  if (answer.known.refined_first() && source == SourceWish::best)
    result.text += "--source run gives the run's own posterior alone.\n";
  if (const std::string text = disagreement_text(answer.known.disagreement, info); !text.empty())
    result.text += fmt::format("\n{}\n", text);
  if (arguments.local_test > 0) {
    const LocalTest test =
        infer_local_test(*question.posterior, question.size, arguments.local_test, arguments.question.seed);
    report.said.document["local_test"] = local_test_document(test, info, question.size);
    result.text += fmt::format("\n{}\n", local_test_text(test, info, question.size));
  }
  if (answer.within) report.said.document["within"] = within_document(*answer.within);
  if (!answer.no_within.empty()) report.said.document["no_within"] = answer.no_within;
  if (answer.predictive) {
    report.said.document["predictive"] = predictive_document(*answer.predictive, info);
    if (!changed.empty()) report.said.document["warnings"].push_back(changed);
    result.text += fmt::format("\n{}\n", predictive_text(*answer.predictive, info));
  }
  if (answer.singles) {
    const Observations x = set.first(question.size);
    report.said.document["observations"] = foreign_document(*answer.singles, info, x);
    write_foreign(arguments.observations, *answer.singles, info, x);
    table->written();
    report.said.document["observations"]["file"] = printable(arguments.observations, 4096);
    result.text += fmt::format("\n{}\nTheir densities stand in {}\n", foreign_text(*answer.singles, info, x),
                               printable(arguments.observations, 300));
  } else if (!answer.no_singles.empty()) {
    report.said.document["no_observations"] = answer.no_singles;
    result.text += fmt::format("\nSingle observations were not tested: {}\n", answer.no_singles);
  }
  std::optional<PosteriorSource> under;  // made anew under the prior, so that its samples are those of the file
  if (prior)
    if (const ReweighedPosterior one = report_prior(*prior, answer.known, interval, report.said.document, result.text);
        one.made)
      under = source_under(prior, answer.known.sources.front(), one);
  result.text += write_report(report.said, info, answer.derived, question, prior.get(), under ? &*under : nullptr);
  if (!set.read_as().empty()) {
    const std::filesystem::path views = write_views(question);
    report.said.document["views"] = views.string();
    result.text += fmt::format("{}: the views stand in {}\n", set.read_as(), views.string());
  }
  if (shipped_weights(arguments.open.tasks, info.name).size() > 1 && is_shipped(run.folder))
    result.text +=
        fmt::format("The weights {} were trained on {}; others are opened by their name (pairs --batch tasks)\n",
                    run.folder.filename().string(), run.estimator->data_source());
  result.document = std::move(report.said.document);
  return result;
}

}  // namespace

Action add_infer(CLI::App& app, const Catalog& tasks) {
  const auto arguments = std::make_shared<InferArguments>();
  arguments->open.tasks = tasks;
  const auto options = std::make_shared<QuestionOptions>();
  QuestionOptionUse use;
  use.set.data =
      "The observed set: .npz (array x, or the only one); for points a table with the task's columns (text, .parquet, "
      ".arrow, .h5, .fits, .npy, .npz, each also as .gz); a folder of images, or of views with cameras.csv; or an item "
      "from which the task makes observations (below)";
  use.set.needs_data = true;
  use.set.without = {{"index", kOwnSetsAlone}, {"psi", kOwnSetsAlone}, {"theta", ""}, {"seed", ""}};
  use.n = "Use the first N observations (default: all)";
  use.derive =
      "Also answer a quantity that follows from the targets, \"NAME = EXPRESSION\" in their names, with + - * / ^, "
      "parentheses, sqrt, exp, log, abs, sin, cos, min and max; may be given again";
  use.prior =
      "Also answer under another prior of a target, \"NAME = normal(0.2, 0.05)\" (NAME may be left out where there is "
      "one) or a table \"NAME = prior.csv\" of values and densities; may be given again (below)";
  use.training_prior =
      "With --prior: the prior that the task draws a target from, where the task does not state it and it is not "
      "uniform between two bounds; it is checked against the task's draws; may be given again";
  use.refine = "Also print the often sharper posterior by the run's learned likelihood";
  use.source = "Which comes first: best (default), run or refined";
  use.interval =
      "Interval type: central (as much below as above), hpd (highest density: the shortest) or upper (limits)";
  use.seed = "Seed of the samples, and of observations that are made of an item";
  add_question_options(app, *options, use);
  app.add_option("--samples", arguments->samples, "Posterior samples (default: 1000, of images 16)")
      ->type_name("S")
      ->transform(whole_number(2, 10000000));
  add_sampler_options(app, arguments->sampler);
  app.add_option("--theta", arguments->theta, "Also score these values of θ (.npz or .csv, one row each)")
      ->type_name("FILE");
  app.add_option("--out", arguments->out,
                 "Where the samples go, .npz, .csv, or .nc and .h5, which ArviZ and xarray read (default: "
                 "RUN/samples.npz, or ./samples.npz); of images a folder "
                 "(default: RUN/posterior, or ./posterior)")
      ->type_name("FILE|DIR");
  app.add_option("--observations", arguments->observations,
                 "Also find observations that the model cannot make; a table of all of them")
      ->type_name("FILE.csv");
  app.add_option("--local-test", arguments->local_test,
                 "Test this posterior itself, by M simulated sets of the same size: whether a classifier can separate "
                 "their truths from samples of posteriors like it (below)")
      ->type_name("M")
      ->transform(whole_number(1, 1000000));
  app.add_option("--predictive", arguments->predictive,
                 "Test whether the set looks like M sets that the model makes at a draw of this posterior; names the "
                 "outliers, and prints the posterior without them. Default: the test within the set, for points that "
                 "are cheap to simulate; 0 turns it off")
      ->type_name("M")
      ->transform(whole_number(0, 1000000));
  app.add_option("--threads", arguments->open.threads, "CPU threads, 0 = all cores")
      ->type_name("N")
      ->check(CLI::Range(0, 4096))
      ->capture_default_str();
  app.add_option("--device", arguments->open.device, "auto, cpu or cuda")
      ->type_name("NAME")
      ->check(CLI::IsMember({"auto", "cpu", "cuda"}))
      ->capture_default_str();
  add_allow_option(app, arguments->open.allow);
  app.add_flag("--exact", arguments->exact,
               "For many sets: also the mean and sd of each set's exact posterior, where the task has one, and the "
               "Kullback-Leibler divergence KL(exact || network). This takes longer; for a single set, these "
               "numbers are printed without this option");
  app.add_flag(
      "--follow", arguments->follow,
      "Points: read lines as they come, from standard input (--data -) or from a CSV file that grows, and "
      "print one line on what has arrived (with --json a document a line); the samples are written at the end");
  app.add_flag("--force", arguments->force,
               "Accept more observations than training saw, up to the task's largest N (extrapolates)");
  add_overwrite_option(app, arguments->overwrite);
  const std::string footer = with_task_names(
      "Examples:\n"
      "  pairs --batch infer {first} --data events.csv\n"
      "  pairs --batch infer {first} --data - --follow <events.csv\n"
      "  pairs --batch infer {first} --data events.csv --derive \"odds = theta/(1 - theta)\"\n"
      "  pairs --batch infer {first} --data events.csv --prior \"beta(2, 8)\"\n"
      "  pairs --batch infer {first} --data sets.csv --group run\n"
      "  pairs --batch infer {first} --data events.csv --n 20 --local-test 1000 --predictive 200\n"
      "  pairs --batch infer runs/digits --data photos/ --samples 5000 --out posterior.npz\n"
      "  pairs --batch infer runs/spheres --data views/ --camera 120,45 --n 10 --out seen/\n"
      R"(Computes mean, sd, median and intervals of the density (of more than two targets from 4,000 samples), and
writes samples to a file. Refuses NaN, wrong shapes and sets larger than training saw. One verdict reports
whether the model makes such data: the percentile of the set's mean embedding among training sets (out of
distribution above the 99.9th), and the test within the set (model rejected at p = 0.009 or below).
Many sets: --group, a folder with a file for each, HDF5 with a group for each, or a folder or text file
that names items (below), one per line. Each is evaluated as it is alone, but without references; one that
cannot be has its reason in its row, and the exit code is 1.
Tests: --local-test costs as much as M sets; 1,000 find a posterior 15 % too narrow in three of four cases.
--predictive 200 resolves p down to 0.005; 0 turns the tests of the verdict off.
Priors: )" +
      prior_families() +
      R"(
Images: a folder with samples.npz (samples, mean and sd by pixel), mean.png, sd.png and samples.png.
Views of a scene: a folder of color images of the estimator's size, or square and a whole multiple of it, with
cameras.csv: the columns file,azimuth,elevation (degrees) and maybe half_width, a row for each image.
They count in the order of their names. pairs --batch render --views writes such a folder.)");
  app.footer("");  // removes the program's footer
  app.footer([footer, tasks] { return footer + item_lines(*tasks); });
  return [arguments, options, &app] {
    arguments->question = options->question();
    bool json = false;
    for (const CLI::App* one = &app; one != nullptr; one = one->get_parent())
      if (const CLI::Option* const asked = one->get_option_no_throw("--json")) json |= asked->count() > 0;
    return infer(*arguments, json);
  };
}

}  // namespace pairs::batch
