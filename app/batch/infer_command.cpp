#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <optional>

#include "app/batch/command.h"
#include "app/batch/infer_follow.h"
#include "app/batch/infer_question.h"
#include "app/batch/numbers.h"
#include "app/kinds/sample_plot.h"
#include "app/kinds/target/parameters_room.h"
#include "app/posterior/observed_set.h"
#include "app/posterior/posterior_samples.h"
#include "app/posterior/posterior_warnings.h"
#include "app/posterior/told_numbers.h"
#include "app/posterior/tried_file.h"
#include "app/runs/task_words.h"
#include "app/text/table.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/streams.h"
#include "core/base/text.h"
#include "core/base/transfer.h"
#include "core/posterior/interval.h"
#include "core/posterior/null_factor.h"
#include "core/posterior/posterior_source.h"
#include "core/posterior/typicality.h"
#include "core/report/figure.h"
#include "core/report/number_text.h"
#include "core/task_factory.h"
#include "core/train/shipped.h"
#include "tasks/parts/things.h"

namespace pairs::batch {
namespace {

constexpr std::int64_t kScoresPrinted = 20, kViewsShown = 12;

// What is known of the observed set.
struct InferAnswer {
  torch::Tensor samples;  // [S, d]
  torch::Tensor scores;   // log densities of the values to score, or undefined
  Place place;
  std::vector<std::string> warnings;  // all that were told
  ToldNumbers numbers;                // none of images
  std::vector<NullFactor> nulls;
  torch::Tensor exact_scores;  // or undefined
};

void warn(InferAnswer& answer, const std::string& text) {
  answer.warnings.push_back(text);
  tell(fmt::format("warning: {}\n", text));
}

// The exact posterior, where the task knows it.
std::optional<PosteriorSource> exact_source(const Task& task, const InferQuestion& question, std::uint64_t seed) {
  const std::vector<std::string> references = task.references();
  if (references.empty() || references.front() != "exact") return {};
  try {
    return reference_source(task, "exact", question.x, {}, seed);
  } catch (const Error& error) {
    tell(fmt::format("warning: the exact posterior is left out: {}\n", error.what()));
    return {};
  }
}

// What the densities say.
void add_density_numbers(InferAnswer& answer, const LoadedRun& run, const InferQuestion& question,
                         const PosteriorSource& source, std::uint64_t seed) {
  const std::optional<PosteriorSource> exact = exact_source(*run.task, question, seed);
  answer.numbers = told_numbers(run, source, exact ? &*exact : nullptr, answer.samples,
                                [&](const std::string& text) { warn(answer, text); });
  if (question.theta.defined()) {
    answer.scores = source.log_density(question.theta);
    if (exact) answer.exact_scores = exact->log_density(question.theta);
  }
  if (exact) answer.nulls = null_factors(*run.task, {source, *exact});
}

InferAnswer answer_of(const LoadedRun& run, const InferQuestion& question, const InferArguments& arguments) {
  Estimator& estimator = *run.estimator;
  const auto seed = static_cast<std::uint64_t>(arguments.seed);
  const torch::Tensor aggregate = finite_aggregate(run, question.x, question.name);
  const PosteriorSource source =
      estimator_source(run.name, SeriesRole::pairs, run.estimator, aggregate, question.size, question.given, seed);
  InferAnswer answer;
  answer.samples = finite_samples(source, question.draws);
  answer.place = place_of(estimator, aggregate, torch::full({1}, question.size, torch::kInt64));
  answer.warnings = question.warnings;
  if (answer.place.outside) warn(answer, outside_text(answer.place));
  if (estimator.has_density()) add_density_numbers(answer, run, question, source, seed);
  return answer;
}

// What is said of the target, with its table.
struct TargetReport {
  SampleReport said;
  Table table;
};

TargetReport report_of(const LoadedRun& run, const InferQuestion& question, const InferAnswer& answer,
                       IntervalKind interval) {
  const TaskInfo& info = run.task->info();
  const TargetRoom& room = target_room_of(info);
  TargetReport report{{}, Table(room.report_columns(interval))};
  report.said = room.report(info, answer.samples, answer.numbers.ours, interval, report.table);
  nlohmann::json& document = report.said.document;
  document["draws"] = question.draws;
  if (question.written < question.draws) {
    torch::Tensor& samples = report.said.arrays.at("samples");
    samples = samples.slice(0, 0, question.written).contiguous();
  }
  if (!answer.numbers.exact.empty()) {
    document["exact"] = numbers_document(answer.numbers.exact, interval);
    add_numbers(report.table, info, "exact", answer.numbers.exact, interval);
  }
  for (const NullFactor& one : answer.nulls) document["null"][one.ours ? "density_ratio" : "bayes_factor"] = one.factor;
  if (!answer.nulls.empty()) document["null"]["theta"] = null_value_of(*run.task)->null_value().theta;
  document["n"] = question.size;
  document["task"] = info.name;
  document["run"] = run.name;
  document["trained_on"] = run.estimator->data_source();
  document["extrapolates"] = question.extrapolates;
  document["targets"] = nlohmann::json::array();
  for (const Target& target : info.targets) document["targets"].push_back(target.name);
  if (!question.thing.empty()) document["thing"] = question.name;
  for (std::size_t t = 0; t < question.own.size(); ++t) document["own"][info.targets[t].name] = question.own[t];
  for (std::size_t t = 0; t < std::min(question.other.size(), info.targets.size()); ++t)
    if (!question.other[t].empty()) document["own_other"][info.targets[t].name] = question.other[t];
  if (!question.kind.empty()) document["kind"] = question.kind;
  if (!question.read_as.empty()) document["read_as"] = question.read_as;
  if (!question.thing.empty()) {
    document["tried"] = tried_document(question.tried);
    document["unlike_training"] = question.unlike;
  }
  document["warnings"] = answer.warnings;
  if (answer.place.known) {
    document["distance"] = answer.place.distance;
    document["percentile"] = answer.place.percentile;
    document["outside_training"] = answer.place.outside;
  }
  report.said.arrays.merge(trust_arrays(answer.place, !answer.warnings.empty()));
  if (answer.scores.defined()) {
    report.said.arrays["theta"] = question.theta;
    report.said.arrays["log_density"] = answer.scores;
    document["log_density"] = doubles(answer.scores);
    if (answer.exact_scores.defined()) document["exact"]["log_density"] = doubles(answer.exact_scores);
  }
  return report;
}

// Writes the samples and their pictures; names the files in the document. What was written, as text.
std::string write_report(SampleReport& report, const TaskInfo& info, const std::filesystem::path& out) {
  const bool in_folder = target_room_of(info).in_folder();
  const std::filesystem::path file = in_folder ? out / "samples.npz" : out;
  if (in_folder) {
    std::error_code ignored;
    std::filesystem::create_directory(out, ignored);
  }
  write_samples(file, report.arrays, info);
  report.document["samples"] = file.string();
  std::string pictures;
  for (const auto& [name, bytes] : report.pictures) {
    write_file(out / name, bytes);
    report.document["pictures"].push_back((out / name).string());
    pictures += (pictures.empty() ? "" : ", ") + (out / name).string();
  }
  return fmt::format(fmt::runtime(report.notes), pictures) + fmt::format("Samples: {}\n", file.string());
}

// The first observations of a thing beside the samples, which show how it was read.
std::filesystem::path write_views(const LoadedRun& run, const InferQuestion& question) {
  Plot plot = sample_plot(*run.task, question.latents, question.x.slice(0, std::min(question.size, kViewsShown)),
                          prior_view(*run.task));
  plot.legend = false;
  plot.title = question.read_as;
  Figure figure;
  figure.plots.push_back(std::move(plot));
  std::filesystem::path file = question.out;
  file.replace_filename(question.out.stem().string() + "-views.png");
  write_figure(file, figure);
  return file;
}

std::string scores_text(const InferAnswer& answer) {
  if (!answer.scores.defined()) return "";
  const bool exact = answer.exact_scores.defined();
  std::vector<Table::Column> columns = {{"row"}, {"log density / nat"}};
  if (exact) columns.push_back({"exact / nat"});
  Table scored(columns);
  const std::int64_t count = answer.scores.size(0);
  for (std::int64_t i = 0; i < std::min(count, kScoresPrinted); ++i) {
    std::vector<std::string> cells = {count_text(i + 1), number_text(answer.scores[i].item<double>(), 4)};
    if (exact) cells.push_back(number_text(answer.exact_scores[i].item<double>(), 4));
    scored.add(std::move(cells));
  }
  const std::string rest =
      count > kScoresPrinted ? fmt::format("  … and {} more in the file\n", count_text(count - kScoresPrinted)) : "";
  return "\n" + scored.text(2) + rest;
}

// What people may give beside files of observations, by task.
std::string thing_lines() {
  std::string lines;
  for (const std::string& name : registered_task_names()) {
    std::shared_ptr<const Task> task;
    try {
      task = make_registered_task(name, {});
    } catch (const Error&) {
      continue;  // what it lacks is said when it is asked for
    }
    if (const Things* const known = things(*task))
      lines += fmt::format("{}  {}: {}", lines.empty() ? "Tasks that make observations of a thing you have:\n" : "\n",
                           name, known->thing_help());
  }
  return lines.empty() ? "" : "\n" + lines + "\nWhat the thing itself tells of θ is said beside the posterior.";
}

Result infer(const InferArguments& arguments, bool json) {
  const LoadedRun run = open_run(arguments.run, arguments.open, false);
  set_sampler(run, arguments.sampler);
  if (arguments.follow) return infer_follow(run, arguments, json);
  if (arguments.data == "-") fail_usage("--data - reads lines from standard input as they come: add --follow");
  const TaskInfo& info = run.task->info();
  const IntervalKind interval = interval_kind(arguments.interval, "--interval");
  const InferQuestion question = infer_question(run, arguments);
  const InferAnswer answer = answer_of(run, question, arguments);
  TargetReport report = report_of(run, question, answer, interval);
  Result result;
  result.text = fmt::format("{}: posterior of {} from the {}N = {} observation{} of {}{}\n\n{}{}", info.title, run.name,
                            question.size == question.held ? ""
                            : arguments.random             ? "random "
                                                           : "first ",
                            count_text(question.size), question.size == 1 ? "" : "s", question.name,
                            question.extrapolates ? " (training saw other sizes)" : "", report.table.text(2),
                            scores_text(answer));
  if (!answer.nulls.empty()) result.text += fmt::format("\n{}\n", null_text(*run.task, answer.nulls));
  for (std::size_t t = 0; t < answer.numbers.ours.size() && interval == IntervalKind::central; ++t)
    if (answer.numbers.ours[t].peak_outside())
      result.text += fmt::format(
          "\nThe density of {} is highest outside its central interval of 90 %: --interval hpd or upper says more\n",
          info.targets[t].label);
  if (!question.own.empty())
    result.text += "\n" + own_theta_text(info, question.thing, question.own, question.other) + "\n";
  if (!question.thing.empty()) result.text += learnt_text(run, question.tried) + "\n";
  if (answer.place.known)
    result.text +=
        fmt::format("\nTypicality: distance {:.3g}, farther than {:.3g} % of training sets{}\n", answer.place.distance,
                    answer.place.percentile, answer.place.outside ? " — OUTSIDE what training saw" : "");
  if (question.written < question.draws)
    result.text += fmt::format("\nMean, sd and quantiles are those of {} samples, of which the first {} are written\n",
                               count_text(question.draws), count_text(question.written));
  result.text += write_report(report.said, info, question.out);
  if (!question.read_as.empty()) {
    const std::filesystem::path views = write_views(run, question);
    report.said.document["views"] = views.string();
    result.text += fmt::format("{}: the views stand in {}\n", question.read_as, views.string());
  }
  if (shipped_weights(info.name).size() > 1 && is_shipped(run.folder))
    result.text +=
        fmt::format("The weights {} were trained on {}; others are opened by their name (pairs --batch tasks)\n",
                    run.folder.filename().string(), run.estimator->data_source());
  result.document = std::move(report.said.document);
  return result;
}

}  // namespace

Action add_infer(CLI::App& app) {
  const auto arguments = std::make_shared<InferArguments>();
  app.add_option("RUN", arguments->run, "A run folder, or a task's name for its shipped weights")->required();
  app.add_option("--data", arguments->data,
                 "The observed set: .npz (array x, or the only one), .csv for points (of several named columns the "
                 "task's), a folder of images (PNG, JPEG, BMP, TGA), of views with cameras.csv; or what some tasks "
                 "make observations of (below)")
      ->type_name("FILE|DIR|THING")
      ->required();
  app.add_option("--n", arguments->n, "Use the first N observations (default: all)")
      ->type_name("N")
      ->transform(whole_number(1, std::int64_t{1} << 40));
  app.add_option("--samples", arguments->samples, "Posterior samples (default: 1000, of images 16)")
      ->type_name("S")
      ->transform(whole_number(2, 10000000));
  app.add_option("--given", arguments->given,
                 "What is given of the set beside its observations, where the task asks for it (\"tasks\" names it); "
                 "default: the array given of an .npz")
      ->type_name("V,V,...");
  app.add_option(
         "--camera", arguments->camera,
         "Views of a scene: the camera whose image is inferred from a folder of views; azimuth and elevation in "
         "degrees")
      ->type_name("AZ,EL");
  add_sampler_options(app, arguments->sampler);
  app.add_option("--theta", arguments->theta, "Also score these values of θ (.npz or .csv, one row each)")
      ->type_name("FILE");
  app.add_option("--out", arguments->out,
                 "Where the samples go, .npz or .csv (default: RUN/samples.npz, or ./samples.npz); of images a folder "
                 "(default: "
                 "RUN/posterior, or ./posterior)")
      ->type_name("FILE|DIR");
  app.add_option("--interval", arguments->interval,
                 "Which intervals are told: central (as much below as above), hpd (highest density: the shortest) or "
                 "upper (limits)")
      ->type_name("KIND")
      ->capture_default_str();
  app.add_option("--seed", arguments->seed, "Seed of the samples, and of observations that are made of a thing")
      ->type_name("N")
      ->transform(whole_number(0, 9007199254740992))
      ->capture_default_str();
  app.add_option("--threads", arguments->open.threads, "CPU threads, 0 = all cores")
      ->type_name("N")
      ->check(CLI::Range(0, 4096))
      ->capture_default_str();
  app.add_option("--device", arguments->open.device, "auto, cpu or cuda")
      ->type_name("NAME")
      ->check(CLI::IsMember({"auto", "cpu", "cuda"}))
      ->capture_default_str();
  app.add_flag("--random", arguments->random,
               "Of more observations than are used, take those that --seed draws rather than the first");
  app.add_option(
         "--columns", arguments->columns,
         "Points: of a CSV file of more columns those that are used, one for each of the task's, by the names of "
         "its first line or as \"column 2\" (default: those with the task's names)")
      ->type_name("NAME,...")
      ->delimiter(',');
  app.add_flag("--follow", arguments->follow,
               "Points: read lines as they come, from standard input (--data -) until it ends or what is appended to a "
               "CSV file until the program is stopped, and answer what has arrived with one line (with --json a "
               "document a line)");
  app.add_option("--up", arguments->up,
                 "Meshes: the axis of the file that points up (default: what the file tells, else z)")
      ->type_name("AXIS")
      ->check(CLI::IsMember({"x", "y", "z"}));
  app.add_flag("--force", arguments->force,
               "Accept more observations than training saw, up to the task's largest N (extrapolates)");
  const std::string footer = with_task_names(
      "Examples:\n"
      "  pairs --batch infer {first} --data events.csv\n"
      "  pairs --batch infer {first} --data events.csv --n 20\n"
      "  pairs --batch infer {first} --data events.csv --n 20 --random\n"
      "  pairs --batch infer {first} --data - --follow <events.csv\n"
      "  pairs --batch infer runs/digits --data photos/ --samples 5000 --out posterior.npz\n"
      "  pairs --batch infer runs/spheres --data views/ --camera 120,45 --n 10 --out seen/\n"
      "Answers mean, sd, median and intervals, those of the density itself (of more than two targets those of 4,000 "
      "draws),\n"
      "whatever --samples says; the samples go into an .npz or .csv file. Refuses NaN, wrong shapes and sets "
      "larger "
      "than\n"
      "training saw. Typicality is the Mahalanobis distance of the set's aggregate from those of training, and the\n"
      "share of training sets that lie nearer: a warning says when the set lies outside what training saw.\n"
      "Images: a folder with samples.npz (samples, mean and sd by pixel), mean.png, sd.png and samples.png.\n"
      "Views of a scene: a folder of colour images of the estimator's size, or square and a whole multiple of it, "
      "with\n"
      "cameras.csv: the columns file,azimuth,elevation (degrees) and maybe half_width, a row for each image.\n"
      "They count in the order of their names. pairs --batch render --views writes such a folder.");
  app.footer("");  // the program's own, which commands begin with
  app.footer([footer] { return footer + thing_lines(); });
  return [arguments, &app] {
    bool json = false;
    for (const CLI::App* one = &app; one != nullptr; one = one->get_parent())
      if (const CLI::Option* const asked = one->get_option_no_throw("--json")) json |= asked->count() > 0;
    return infer(*arguments, json);
  };
}

}  // namespace pairs::batch
