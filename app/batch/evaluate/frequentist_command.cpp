#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "app/batch/parts/arguments.h"
#include "app/batch/parts/command.h"
#include "app/batch/parts/drive.h"
#include "app/batch/parts/numbers.h"
#include "app/batch/parts/question_options.h"
#include "app/batch/parts/result_file.h"
#include "app/kinds/observed.h"
#include "app/posterior/frequentist/frequentist_figures.h"
#include "app/posterior/frequentist/frequentist_text.h"
#include "app/posterior/set_posterior/set_posterior.h"
#include "app/runs/task_words.h"
#include "core/base/gpu/transfer.h"
#include "core/base/system/streams.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/base/threads/clock.h"
#include "core/given.h"
#include "core/report/number_text.h"
#include "core/train/run/simulator_record.h"

namespace pairs::batch {
namespace {

constexpr std::int64_t kMostPoints = 2000, kExpectedPlace = 2048, kNullPlace = 2049;

struct FrequentistArguments {
  Question question;
  std::string levels = "68.27,90,95", theta, psi, known_psi, nuisance, figure;
  OpenArguments open;
  std::optional<double> null, expected;
  bool coverage = false, exact = false;
  bool overwrite = false;
  std::int64_t toys = 10000, null_toys = 50000, nodes = 41;
  std::optional<std::int64_t> sets, lengths;

  std::int64_t simulated_sets() const { return sets.value_or(1000); }
  std::int64_t measured_sets() const { return lengths.value_or(200); }
};

// Reports every ten seconds how many sets are simulated.
class SetsTeller {
 public:
  explicit SetsTeller(std::string what) : what_(std::move(what)) {}
  void report_of(std::int64_t done, std::int64_t total) {
    begun_ = begun_ < 0 ? done : begun_;
    if (watch_.seconds() - reported_ < 10) return;
    reported_ = watch_.seconds();
    const double rate = static_cast<double>(done - begun_) / reported_;
    print(fmt::format("{}: {} of {} sets, {} left\n", what_, count_text(done), count_text(total),
                      duration_text(static_cast<double>(total - done) / std::max(rate, 1e-9))));
  }

 private:
  std::string what_;
  Stopwatch watch_;
  double reported_ = 0;
  std::int64_t begun_ = -1;
};

// The minimum number of toys beyond a level that locates it.
constexpr double kFewestBeyond = 5;

std::vector<double> levels_of(const FrequentistArguments& arguments) {
  const std::string& text = arguments.levels;
  std::vector<double> levels = parse_numbers(text, "--levels");
  for (double& level : levels) {
    if (!(level > 0 && level < 100)) fail_usage("--levels {} are not between 0 and 100 %", printable(text));
    if (level < 1)
      fail_usage("--levels {} are percent; write {:.8g} for {:.8g} %", printable(text), 100 * level, 100 * level);
    level /= 100;
    const double needed = std::ceil(kFewestBeyond / (1 - level) * (1 - 1e-9));
    if (static_cast<double>(arguments.toys) < needed)
      fail_usage("{:.8g} % cannot be resolved by {} toys; give {} or more with --toys", 100 * level,
                 count_text(arguments.toys), count_text(static_cast<std::int64_t>(needed)));
  }
  std::sort(levels.begin(), levels.end());
  if (levels.empty() || std::adjacent_find(levels.begin(), levels.end()) != levels.end())
    fail_usage("--levels {} names no level, or one twice", printable(text));
  return levels;
}

// --n; by default, the whole file, or the largest N in training.
std::int64_t size_of(const FrequentistArguments& arguments, const LoadedRun& run, const ObservedSet* set) {
  const std::int64_t n = arguments.question.n > 0 ? arguments.question.n
                         : set                    ? set->held()
                                                  : std::min(run.estimator->max_n(), run.task->info().max_n);
  if (set && arguments.question.n == 0 && n > set->size())
    fail("{} holds {} observations, but task {} is defined up to N = {}; use the first with --n",
         printable(set->name(), 300), count_text(n), run.task->info().name, count_text(run.task->info().max_n));
  if (set && n > set->size())
    fail_usage("--n asks for the first {} observations, but {} holds {}; give at most {}", count_text(n),
               printable(set->name(), 300), count_text(set->size()), set->size());
  if (n > run.estimator->max_n())
    fail("N = {} is asked for, but {} saw sets of at most {}; use fewer observations with --n", count_text(n), run.name,
         count_text(run.estimator->max_n()));
  return n;
}

// The conditions of the set and of all toys, from --conditions or the set's file.
std::vector<double> given_of(const FrequentistArguments& arguments, const LoadedRun& run, const ObservedSet* set) {
  if (set) return set->latents().given.defined() ? doubles(set->latents().given) : std::vector<double>();
  if (arguments.question.set.given.empty()) return {};  // the table reports what is missing
  const torch::Tensor given = read_given(arguments.question.set.given, "", run.task->info());
  check_given(*run.task, given, "--conditions");
  if (const std::string text = unseen_given_text(*run.task, given); !text.empty())
    print(fmt::format("warning: {}\n", text));
  return doubles(given);
}

ToyPlan plan_of(const FrequentistArguments& arguments, const LoadedRun& run, std::int64_t n,
                std::vector<double> given) {
  ToyPlan plan = usual_toys(*run.task, n);
  plan.toys = arguments.toys;
  plan.null_toys = arguments.null_toys;
  plan.nodes = arguments.nodes;
  plan.seed = arguments.question.seed;
  plan.psi = parse_numbers(arguments.known_psi, "--known-psi");
  plan.given = std::move(given);
  if (arguments.null) plan.null = arguments.null;
  return plan;
}

NuisanceChoice choice_of(const FrequentistArguments& arguments, const ToyTable& table) {
  for (const NuisanceWord& one : kNuisanceWords)
    if (arguments.nuisance == one.word) return one.choice;
  return Frequentist::usual(table);
}

std::unique_ptr<Frequentist> made_answers(const FrequentistArguments& arguments, const LoadedRun& run, ToyPlan plan,
                                          bool exact) {
  plan.exact = exact;
  const auto table = std::make_shared<ToyTable>(run, std::move(plan));
  auto answers = std::make_unique<Frequentist>(table, choice_of(arguments, *table));
  SetsTeller teller(exact ? "toys of the exact likelihood" : "toys");
  table->make(keep_going, [&](std::int64_t done, std::int64_t total) { teller.report_of(done, total); });
  return answers;
}

// The points of --theta and --psi, each θ with each ψ.
struct MapPoint {
  double theta;
  std::vector<double> psi;
};
std::vector<MapPoint> points_of(const FrequentistArguments& arguments, const TaskInfo& info) {
  const std::vector<double> thetas = parse_numbers(arguments.theta, "--theta"),
                            values = parse_numbers(arguments.psi, "--psi");
  const std::size_t p = info.nuisances.size();
  if (thetas.empty()) fail_usage("--coverage needs the values of θ to simulate at; name them with --theta");
  const Target& target = info.targets.front();
  for (const double theta : thetas)
    if (theta < target.low || theta > target.high)
      fail_usage("--theta {:g} lies outside of {:g} to {:g}", theta, target.low, target.high);
  if (p == 0 ? !values.empty() : values.empty() || values.size() % p != 0)
    fail_usage("--psi needs {} for each point, and {} are given", p == 0 ? "no value" : counted(p, "value"),
               values.size());
  std::vector<MapPoint> points;
  for (const double theta : thetas)
    for (std::size_t k = 0; k < std::max<std::size_t>(p == 0 ? 1 : values.size() / p, 1); ++k)
      points.push_back({theta, std::vector<double>(values.begin() + static_cast<std::ptrdiff_t>(k * p),
                                                   values.begin() + static_cast<std::ptrdiff_t>((k + 1) * p))});
  if (points.size() > kMostPoints)
    fail_usage("--theta and --psi make {} points; give at most {}", points.size(), kMostPoints);
  return points;
}

std::vector<CoveragePoint> map_of(const Frequentist& answers, const std::vector<MapPoint>& points,
                                  const FrequentistArguments& arguments, const std::vector<double>& levels) {
  std::vector<CoveragePoint> out;
  SetsTeller teller(answers.table().plan().exact ? "coverage of the exact likelihood" : "coverage");
  std::int64_t done = 0;
  for (const MapPoint& point : points)
    out.push_back(answers.coverage(
        point.theta, point.psi, static_cast<std::int64_t>(out.size()), arguments.simulated_sets(),
        arguments.measured_sets(), levels, keep_going, [&](std::int64_t sets) {
          done += sets;
          teller.report_of(done, static_cast<std::int64_t>(points.size()) * arguments.simulated_sets());
        }));
  return out;
}

// Throws, before any toy, for a task without frequentist results, and for values that it does not have.
void check_target(const FrequentistArguments& arguments, const Task& task) {
  const TaskInfo& info = task.info();
  if (const std::string why = no_frequentist_answers(task); !why.empty())
    fail_usage("The task {} has no frequentist answers: {}", info.name, why);
  const Target& target = info.targets.front();
  if (arguments.expected && (*arguments.expected < target.low || *arguments.expected > target.high))
    fail_usage("--expected {:g} lies outside of {:g} to {:g}", *arguments.expected, target.low, target.high);
  if (arguments.coverage) points_of(arguments, info);
}

// The request, with everything that its parts share.
struct Asked {
  const FrequentistArguments& arguments;
  const LoadedRun& run;
  std::vector<double> levels;
  std::int64_t n = 0;
  std::string null_words;
  std::unique_ptr<Frequentist> ours, exact;  // exact: null unless requested

  const TaskInfo& info() const { return run.task->info(); }
};

void warn(Result& result, const std::string& text) {
  result.document["warnings"].push_back(text);
  print(fmt::format("warning: {}\n", text));
}

void warn_coarse(Result& result, const std::string& what) {
  warn(result, what + " narrower than the values of θ that they are known at; give more with --nodes");
}

void warn_blind(Result& result, const FrequentistAnswer& answer) {
  if (std::any_of(answer.levels.begin(), answer.levels.end(), [](const ConfidenceLevel& one) { return one.cls_blind; }))
    warn(result,
         "no toy of the null value is as extreme as this set where limits by CLs would begin, so that these are not "
         "reported; give more with --null-toys");
}

// Points of a map whose nuisance is outside the range of toys and training.
void warn_far(const Asked& asked, const std::vector<MapPoint>& points, Result& result) {
  const ToyTable& table = asked.ours->table();
  if (asked.info().nuisances.size() != 1 || !table.plan().psi.empty() || table.toys(0).psi.empty()) return;
  // At the node nearest to the point: if ψ depends on θ, each node has its own toys.
  const auto known_at = [&](const MapPoint& one) -> const std::vector<double>& {
    const auto nearest = std::min_element(table.nodes().begin(), table.nodes().end(), [&](double a, double b) {
      return std::fabs(a - one.theta) < std::fabs(b - one.theta);
    });
    return table.toys(static_cast<std::size_t>(nearest - table.nodes().begin())).psi;
  };
  const auto far = std::find_if(points.begin(), points.end(), [&](const MapPoint& one) {
    return one.psi[0] < known_at(one).front() || one.psi[0] > known_at(one).back();
  });
  if (far == points.end()) return;
  const std::vector<double>& known = known_at(*far);
  warn(result,
       fmt::format("{} = {:g} lies beyond all toys there, whose values of the prior go from {:.3g} to {:.3g}: neither "
                   "they nor the run know such sets, and coverage there is no fault of theirs",
                   asked.info().nuisances[0].label, far->psi[0], known.front(), known.back()));
}

void answer_set(const Asked& asked, const std::shared_ptr<ObservedSet>& set, Result& result) {
  SetPosterior posterior(set, std::vector<AskedRun>{{asked.run}});
  posterior.embed_until(asked.n, keep_going);
  const PosteriorAnswer known = posterior.answer(asked.n, asked.exact != nullptr);
  for (const PosteriorWarning& one : posterior.all_warnings(known)) {
    print(fmt::format("warning: {}\n", one.text));
    result.document["warnings"].push_back(one.text);
  }
  PAIRS_CHECK(!known.sources.empty(), "{} has no posterior of this set", asked.run.name);
  const Observations x = set->first(asked.n);
  const FrequentistAnswer answer = asked.ours->answer(known.sources.front().log_density, x, asked.levels);
  if (!answer.resolved) warn_coarse(result, "the likelihood of the set is");
  warn_blind(result, answer);
  result.document.update(frequentist_document(answer));
  result.text += frequentist_text(asked.info(), answer, asked.null_words);
  std::vector<NeymanCurves> curves = {neyman_curves(*asked.ours, asked.run.name, SeriesRole::pairs, answer, x)};
  if (asked.exact) {
    const auto source = std::find_if(known.sources.begin(), known.sources.end(),
                                     [](const PosteriorSource& one) { return one.role == SeriesRole::exact; });
    PAIRS_CHECK(source != known.sources.end(), "The exact posterior of this set is not known{}",
                known.problems.empty() ? "" : ": " + known.problems.front());
    const FrequentistAnswer exact = asked.exact->answer(source->log_density, x, asked.levels);
    warn_blind(result, exact);
    result.document["exact"] = frequentist_document(exact);
    result.text += "\nBy the exact likelihood: " + frequentist_text(asked.info(), exact, asked.null_words);
    curves.push_back(neyman_curves(*asked.exact, "exact", SeriesRole::exact, exact, x));
  }
  if (asked.arguments.figure.empty() || asked.arguments.coverage) return;
  write_figure(asked.arguments.figure,
               neyman_figure(asked.info(), curves,
                             fmt::format("{}: confidence by {} toys a node, N = {}", asked.info().title,
                                         count_text(asked.arguments.toys), count_text(asked.n)),
                             set->words() + "; " + asked.run.name));
}

void answer_expected(const Asked& asked, Result& result) {
  const ToyTable& table = asked.ours->table();
  const double theta = *asked.arguments.expected;
  const std::optional<double> null = table.plan().null;
  SetsTeller teller("expected");
  std::int64_t done = 0;
  const auto step = [&](std::int64_t sets) {
    teller.report_of(done += sets, (null ? 2 : 1) * asked.arguments.simulated_sets());
  };
  const Expected at =
      asked.ours->expected(theta, kExpectedPlace, asked.arguments.simulated_sets(), asked.levels, keep_going, step);
  std::optional<Expected> limits;
  if (null)
    limits = asked.ours->expected(*null, kNullPlace, asked.arguments.simulated_sets(), asked.levels, keep_going, step);
  result.document["expected"] = expected_document(at, limits ? &*limits : nullptr, asked.levels);
  result.text += expected_text(asked.info(), at, limits ? &*limits : nullptr, asked.levels);
}

void answer_coverage(const Asked& asked, Result& result) {
  const std::vector<MapPoint> points = points_of(asked.arguments, asked.info());
  warn_far(asked, points, result);
  const std::vector<CoveragePoint> ours = map_of(*asked.ours, points, asked.arguments, asked.levels);
  const std::vector<CoveragePoint> exact =
      asked.exact ? map_of(*asked.exact, points, asked.arguments, asked.levels) : std::vector<CoveragePoint>();
  result.document["coverage"] = coverage_document(ours, exact);
  result.text += "\n" + coverage_text(asked.info(), ours, exact);
  if (!asked.arguments.figure.empty())
    write_figure(asked.arguments.figure,
                 coverage_figure(asked.info(), ours,
                                 fmt::format("{}: coverage of {} sets per point, N = {}", asked.info().title,
                                             count_text(asked.arguments.simulated_sets()), count_text(asked.n)),
                                 asked.info().data_source + "; " + asked.run.name));
}

// The basis of all parts.
void write_head(const Asked& asked, const std::string& what, Result& result) {
  const ToyPlan& plan = asked.ours->table().plan();
  const NuisanceWord& nuisance = kNuisanceWords[static_cast<std::size_t>(asked.ours->choice())];
  result.document = {{"task", asked.info().name},
                     {"run", asked.run.name},
                     {"n", asked.n},
                     {"likelihood", "marginal"},
                     {"nuisance", plan.psi.empty() ? nuisance.word : "known"},
                     {"known_psi", plan.psi},
                     {"toys", plan.toys},
                     {"null_toys", plan.null_toys},
                     {"nodes", asked.ours->table().nodes().size()},
                     {"seed", plan.seed},
                     {"warnings", nlohmann::json::array()}};
  for (std::size_t k = 0; k < plan.given.size(); ++k)
    result.document["conditions"][asked.info().given[k].name] = plan.given[k];
  double toys = 0;
  for (std::size_t node = 0; node < asked.ours->table().nodes().size(); ++node)
    toys += static_cast<double>(asked.ours->table().toys(node).ratio.size());
  if (asked.ours->table().unresolved() > 0.01 * toys)
    warn_coarse(result, fmt::format("the likelihoods of {:.2g} % of the toys are",
                                    100 * asked.ours->table().unresolved() / toys));
  result.text = fmt::format(
      "{}: frequentist answers of {} {}\nMarginal likelihood p({} | X) / p({}); {} toys at each of {} values of "
      "{}{}\n\n",
      asked.info().title, asked.run.name, what, asked.info().targets.front().label, asked.info().targets.front().label,
      count_text(plan.toys), asked.ours->table().nodes().size(), asked.info().targets.front().label,
      toy_values_text(*asked.ours));
}

void check_frequentist(const FrequentistArguments& arguments) {
  if (arguments.question.set.simulated() && !arguments.coverage && !arguments.expected)
    fail_usage("Nothing is asked: name a set with --data, a value with --expected, or ask for --coverage");
  if (!arguments.coverage && !(arguments.theta.empty() && arguments.psi.empty()))
    fail_usage("--theta and --psi are the points of a map; ask for it with --coverage");
  if (arguments.lengths && !arguments.coverage)
    fail_usage("--lengths are of the sets of a map; ask for it with --coverage");
  if (arguments.sets && !arguments.coverage && !arguments.expected)
    fail_usage("--sets are simulated for --coverage and --expected; ask for one of them");
  if (!arguments.question.set.group.empty() && arguments.question.set.member.empty())
    fail_usage("--group separates many sets, and these answers are of one; choose it with --member");
  if (!arguments.known_psi.empty() && !arguments.nuisance.empty())
    fail_usage("--nuisance chooses toys by nuisances that are not known, and --known-psi states them; leave one out");
  if (arguments.figure.empty()) return;
  if (arguments.question.set.simulated() && !arguments.coverage)
    fail_usage("--figure draws a set or a map; name a set with --data, or ask for --coverage");
  const std::string extension = std::filesystem::path(arguments.figure).extension().string();
  if (extension != ".svg" && extension != ".pdf" && extension != ".png" && extension != ".csv")
    fail_usage("--figure {} must end in .svg, .pdf, .png or .csv", printable(arguments.figure, 300));
  check_output(arguments.figure, extension, {arguments.question.set.file}, "--figure");
  ResultFile(arguments.figure,
             {.made = arguments.question.run, .overwrite = arguments.overwrite, .option = "--figure"});
}

Result frequentist(const FrequentistArguments& arguments) {
  check_frequentist(arguments);
  std::vector<double> levels = levels_of(arguments);
  const LoadedRun run = open_run(arguments.question.run, arguments.open);
  std::shared_ptr<ObservedSet> set;
  if (!arguments.question.set.simulated()) {
    set = std::make_shared<ObservedSet>(run.task, arguments.question.set);
  }
  Asked asked{arguments, run, std::move(levels), size_of(arguments, run, set.get()), "", nullptr, nullptr};
  check_target(arguments, *run.task);
  const ToyPlan plan = plan_of(arguments, run, asked.n, given_of(arguments, run, set.get()));
  asked.null_words = null_words(*run.task, plan);
  asked.ours = made_answers(arguments, run, plan, false);
  if (arguments.exact) asked.exact = made_answers(arguments, run, plan, true);
  Result result;
  write_head(asked,
             set ? fmt::format("from {} of {}", counted(static_cast<std::size_t>(asked.n), "observation"),
                               arguments.question.set.file.string())
                 : fmt::format("at N = {}", count_text(asked.n)),
             result);
  if (const std::string text = changed_simulator(run.folder, *run.task, [] { return !keep_going(); }); !text.empty())
    warn(result, text + "; toys are those of another model");
  if (set) answer_set(asked, set, result);
  if (arguments.expected) answer_expected(asked, result);
  if (arguments.coverage) answer_coverage(asked, result);
  if (!arguments.figure.empty()) {
    ResultFile(arguments.figure, {.made = arguments.question.run, .overwrite = true}).written();
    result.document["figure"] = arguments.figure;
    result.text += fmt::format("\nFigure: {}\n", arguments.figure);
  }
  return result;
}

void add_toy_options(CLI::App& app, FrequentistArguments& arguments) {
  const auto count = [&](const char* name, std::int64_t& value, const char* type, std::int64_t low, std::int64_t high,
                         const char* help) {
    app.add_option(name, value, help)->type_name(type)->transform(whole_number(low, high))->capture_default_str();
  };
  count("--toys", arguments.toys, "M", 100, kMostToys, "Toys: sets that are simulated at each value of θ tested");
  count("--null-toys", arguments.null_toys, "M", 100, kMostToys,
        "Toys at the null value: p-values below about one in so many are bounds");
  count("--nodes", arguments.nodes, "K", 5, 2000,
        "Values of θ that toys are simulated at, denser towards the ends of its range; between two of them p-values "
        "are interpolated");
  app.add_option("--sets", arguments.sets,
                 "Simulated sets for --expected, and for each point of --coverage (default: 1000)")
      ->type_name("M")
      ->transform(whole_number(20, kMostToys));
  app.add_option("--lengths", arguments.lengths, "coverage: of these sets whose intervals are measured (default: 200)")
      ->type_name("M")
      ->transform(whole_number(0, kMostToys));
}

}  // namespace

Action add_frequentist(CLI::App& app, const Catalog& tasks) {
  const auto arguments = std::make_shared<FrequentistArguments>();
  arguments->open.tasks = tasks;
  const auto options = std::make_shared<QuestionOptions>();
  QuestionOptionUse use;
  const std::string simulated =
      "frequentist answers about a set of your own, or what --expected and --coverage simulate";
  use.set.without = {{"index", simulated}, {"theta", ""}, {"psi", ""}, {"seed", ""}};
  use.n = "Set size (default: all of --data, else as many as training saw)";
  use.seed = "Seed of all that is simulated";
  add_question_options(app, *options, use);
  app.add_option("--levels", arguments->levels, "Levels of confidence in percent")
      ->type_name("P,P,...")
      ->capture_default_str();
  app.add_option("--null", arguments->null,
                 "The value of θ whose significance is reported (default: the task's, if any)")
      ->type_name("V")
      ->transform(number(-1e300, 1e300));
  app.add_option("--expected", arguments->expected,
                 "Also what sets at this θ are expected to yield: significance and length of intervals, and upper "
                 "limits where the null value holds")
      ->type_name("V")
      ->transform(number(-1e300, 1e300));
  app.add_flag("--coverage", arguments->coverage,
               "How often intervals hold θ at each of --theta with each of --psi, simulated there");
  app.add_option("--theta", arguments->theta, "coverage: values of θ")->type_name("V,V,...");
  app.add_option("--psi", arguments->psi, "coverage: values of ψ, of several nuisances one after the other")
      ->type_name("V,V,...");
  app.add_option("--nuisance", arguments->nuisance,
                 "With which nuisances toys are compared with a set: prior (coverage holds on average over the prior), "
                 "posterior (drawn from their posterior given the set; nearly at each ψ) or worst (at least, at each "
                 "ψ) (default: posterior where the task knows it, else prior)")
      ->type_name("CHOICE")
      ->check(CLI::IsMember({"prior", "posterior", "worst"}));
  app.add_option("--known-psi", arguments->known_psi, "The nuisances are known: toys have these values")
      ->type_name("V,V,...");
  app.add_flag("--exact", arguments->exact, "Also the same with the task's exact likelihood, where it knows one");
  app.add_option("--figure", arguments->figure,
                 "Draw likelihood ratio, critical values and p-values of the set, or the map of --coverage (.svg, .png "
                 "or .csv)")
      ->type_name("FILE");
  add_toy_options(app, *arguments);
  add_machine_arguments(app, arguments->open);
  add_overwrite_option(app, arguments->overwrite);
  app.footer(with_task_names(
      R"(Examples:
  pairs --batch frequentist {first} --data events.csv
  pairs --batch frequentist {first} --data events.csv --levels 90 --exact --figure neyman.svg
  pairs --batch frequentist {first} --expected 0.2 --n 50
  pairs --batch frequentist {first} --coverage --theta 0,0.2 --psi=-1,2 --figure coverage-map.svg
Of one target with two ends whose sets can be simulated. Intervals are Neyman's with Feldman and Cousins' order,
of the marginal likelihood p(θ | X) / p(θ), in which ψ is integrated over its prior: it is no profile likelihood.
Toys are kept in the folder of caches, value by value of θ: what was stopped goes on where it was.)"));
  return [arguments, options] {
    arguments->question = options->question();
    return frequentist(*arguments);
  };
}

}  // namespace pairs::batch
