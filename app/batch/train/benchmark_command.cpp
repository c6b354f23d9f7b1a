#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/batch/parts/arguments.h"
#include "app/batch/parts/budget_report.h"
#include "app/batch/parts/command.h"
#include "app/batch/parts/drive.h"
#include "app/batch/parts/exit_on_signal.h"
#include "app/batch/parts/export_sets.h"
#include "app/batch/parts/numbers.h"
#include "app/batch/parts/own_task.h"
#include "app/batch/parts/printed_evaluation.h"
#include "app/batch/parts/printed_training.h"
#include "app/posterior/source/refined_source.h"
#include "app/scores/sharpness.h"
#include "app/text/table.h"
#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/ensemble.h"
#include "core/report/number_text.h"
#include "core/simulation_budget.h"
#include "core/train/stages/likelihood_stage.h"
#include "core/train/stages/source_choice.h"

namespace pairs::batch {
namespace {

namespace fs = std::filesystem;

struct BenchmarkArguments {
  NewRun wanted;
  Catalog known;
  std::vector<std::string> names;
  std::string folder, out = "benchmark", sizes = "1,10,100,1000", sets = "100", budget = "quick";
  bool plan = false, exported = false, allow = false;
};

// A task of the benchmark: a folder with task.toml.
struct Entry {
  std::string name;  // of the folder
  fs::path file;
  std::string task = {};  // its name in the catalog
  std::string unrefined = {};
};

fs::path benchmark_folder(const BenchmarkArguments& arguments) {
  return arguments.folder.empty() ? assets_folder() / "benchmark" : fs::path(arguments.folder);
}

// The chosen tasks, by name; all of the folder if none are named.
std::vector<Entry> entries(const BenchmarkArguments& arguments) {
  const fs::path folder = benchmark_folder(arguments);
  std::vector<Entry> all;
  std::error_code code;
  for (const fs::directory_entry& one : fs::directory_iterator(folder, code))
    if (fs::exists(one.path() / run_file::task))
      all.push_back({one.path().filename().string(), one.path() / run_file::task});
  if (all.empty())
    fail_usage("{} holds no tasks of a benchmark: each is a folder with a task.toml", printable(folder.string(), 300));
  std::sort(all.begin(), all.end(), [](const Entry& a, const Entry& b) { return a.name < b.name; });
  if (arguments.names.empty()) return all;
  std::vector<Entry> chosen;
  for (const std::string& name : arguments.names) {
    const auto found = std::find_if(all.begin(), all.end(), [&](const Entry& one) { return one.name == name; });
    if (found == all.end()) {
      std::vector<std::string> names;
      for (const Entry& one : all) names.push_back(one.name);
      fail_usage("The benchmark has no task {}; its tasks are {}", printable(name, 100), fmt::join(names, ", "));
    }
    if (std::any_of(chosen.begin(), chosen.end(), [&](const Entry& one) { return one.name == name; }))
      fail_usage("The task {} is named twice", name);
    chosen.push_back(*found);
  }
  return chosen;
}

// Makes the tasks known. Programs that came with this one need no permission.
void open(const BenchmarkArguments& arguments, std::vector<Entry>& chosen) {
  for (Entry& one : chosen) {
    one.task = arguments.known->open(one.file);
    if (arguments.folder.empty() || arguments.allow) allow_task_file(one.file);
    one.unrefined = LearnedLikelihood::refused(*arguments.known->make(one.task));
  }
}

// "1e5" or "100000" -> 100,000; 0 for "quick", as many as the preset draws.
std::int64_t simulations_of(const std::string& budget) {
  if (budget == "quick") return 0;
  char* end = nullptr;
  const double value = std::strtod(budget.c_str(), &end);
  if (budget.empty() || std::isspace(static_cast<unsigned char>(budget[0])) || *end != '\0' || !(value >= 1) ||
      !(value <= kMostSimulations) || value != std::floor(value))
    fail_usage(
        "--budget {}: give a number of simulations, 1e5 or 100000 for example, or quick for as many as the "
        "preset draws",
        printable(budget, 100));
  return static_cast<std::int64_t>(value);
}

RunConfig config_of(const BenchmarkArguments& arguments, const Entry& entry) {
  NewRun wanted = arguments.wanted;
  wanted.task = entry.task;
  limit_simulations(*arguments.known, simulations_of(arguments.budget), wanted);
  return resolve(arguments.known, wanted);
}

// The first setting that differs, "threads = 1, not 0"; "" if none does.
std::string other_setting(RunConfig wanted, RunConfig stored) {
  const std::vector<Field> now = fields(wanted), then = fields(stored);
  for (std::size_t i = 0; i < std::min(now.size(), then.size()); ++i)
    if (field_text(now[i]) != field_text(then[i]))
      return fmt::format("{} = {}, not {}", then[i].key, field_text(then[i]), field_text(now[i]));
  return "";
}

// Trains what is missing of the task's run and of its likelihood.
void train(const BenchmarkArguments& arguments, const Entry& entry, const fs::path& folder, ProgressPrinter& printer) {
  RunConfig config = config_of(arguments, entry);
  if (!fs::exists(folder / run_file::config)) {
    report_expectation(*arguments.known, config, folder);
    create_run(config, folder);
  }
  if (arguments.allow || arguments.folder.empty()) allow_run(folder);
  const RunConfig stored = read_run_toml(arguments.known, folder / run_file::config);
  if (config.device == "auto") config.device = stored.device;
  if (const std::string other = other_setting(config, stored); !other.empty())
    fail_usage("{} holds a run with {}; remove it or choose another --out folder", folder.string(), other);
  train_run(arguments.known, folder, Stage::likelihood, printer);
}

EvaluationOptions options_of(const BenchmarkArguments& arguments, const LoadedRun& run) {
  EvaluationOptions options;
  const std::vector<std::int64_t> sizes = parse_sizes(arguments.sizes, "--sizes", "--sizes ");
  std::vector<std::int64_t> sets = parse_counts(arguments.sets, "--sets", "--sets ");
  check_per_size(sets.size(), sizes.size(), "--sets");
  for (std::size_t k = 0; k < sizes.size(); ++k)
    if (sizes[k] <= run.estimator->max_n()) {
      options.sizes.push_back(sizes[k]);
      options.sets.push_back(sets[sets.size() == 1 ? 0 : k]);
    }
  if (options.sizes.empty())
    fail_usage("--sizes {}: the run of {} has sets of at most {}", arguments.sizes, run.config.task,
               count_text(run.estimator->max_n()));
  options.samples = 299;
  return options;
}

// A run with a budget of simulations is scored on new sets of the simulator: its own hold few large ones.
void score_on_new_sets(const std::shared_ptr<const Task>& task, LoadedRun& run) {
  if (run.task->stored() == nullptr || task->stored() != nullptr) return;
  const torch::Device device = run.estimator->device();
  run.task = task;
  run.estimator = load_estimator(run.folder / run_file::estimator, task);
  run.estimator->to(device);
}

// The run's stored evaluation if it is this one, else a new one, which is stored.
Metrics scored(const LoadedRun& run, EvaluationOptions options, bool refined, ProgressPrinter& printer) {
  if (auto stored = stored_metrics(run, &options);
      stored && (!refined || std::all_of(stored->rows.begin(), stored->rows.end(), [](const EvaluationRow& row) {
        return row.reference_gain.contains(kRefined);
      })))
    return *std::move(stored);
  if (refined)
    options.made = refined_density(run, *std::max_element(options.sets.begin(), options.sets.end()), keep_going);
  Metrics metrics = evaluate_run(run, options, printer);
  write_file(run.folder / run_file::metrics, metrics_text(metrics));
  return metrics;
}

double seconds_of(const fs::path& log) {
  double sum = 0;
  std::error_code code;
  if (!fs::exists(log, code)) return 0;
  for (const Event& event : read_events(log.string()))
    if (event.type == EventType::stage_done && std::isfinite(event.seconds)) sum += event.seconds;
  return sum;
}

nlohmann::json number(double value) {
  return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json(nullptr);
}

std::string gap_text(double mean, double se) {
  return std::isnan(mean) ? "–" : fmt::format("{} ± {}", number_text(mean, 3), number_text(se, 3));
}

Result plan(const BenchmarkArguments& arguments, const std::vector<Entry>& chosen) {
  Result result;
  Table table({{"task", false}, {"expected", false}, {"learned likelihood", false}});
  for (const Entry& one : chosen) {
    const RunConfig config = config_of(arguments, one);
    const std::string expected = expected_text(config, expected_cost(config, [] { return !keep_going(); }));
    table.add({one.name, expected, one.unrefined.empty() ? "yes" : "no: " + one.unrefined});
    result.document["tasks"].push_back({{"name", one.name},
                                        {"title", arguments.known->make(one.task)->info().title},
                                        {"expected", expected},
                                        {"unrefined", one.unrefined}});
  }
  result.text = table.text();
  return result;
}

Result benchmark(const BenchmarkArguments& given) {
  const BenchmarkArguments& arguments = given;
  set_threads(std::max<std::int64_t>(arguments.wanted.threads, 0));
  std::vector<Entry> chosen = entries(arguments);
  open(arguments, chosen);
  for (const Entry& one : chosen) config_of(arguments, one);  // checks the settings before anything is trained
  check_per_size(parse_counts(arguments.sets, "--sets", "--sets ").size(),
                 parse_sizes(arguments.sizes, "--sizes", "--sizes ").size(), "--sets");
  if (arguments.plan) return plan(arguments, chosen);
  ProgressPrinter printer = stderr_printer();
  const SavesOnSignal saves;
  OpenArguments open;
  open.tasks = arguments.known;
  if (!arguments.wanted.device.empty()) open.device = arguments.wanted.device;
  open.threads = std::max<std::int64_t>(arguments.wanted.threads, 0);
  Result result;
  result.document = {{"preset", arguments.wanted.preset}, {"strategy", arguments.wanted.strategy}};
  if (const std::int64_t budget = simulations_of(arguments.budget)) result.document["simulations"] = budget;
  Table table({{"task", false},
               {"N"},
               {"sets"},
               {"gap of the run"},
               {"gap refined"},
               {"first", false},
               {"refused"},
               {"training"}});
  std::string notes;
  for (const Entry& one : chosen) {
    if (!keep_going()) throw Stopped();
    const fs::path folder = fs::path(arguments.out) / one.name;
    printer.line(fmt::format("{}: {}", one.name, arguments.known->make(one.task)->info().title));
    try {
      train(arguments, one, folder, printer);
    } catch (const Stopped&) {
      printer.line("stopped: run the same command again, and the benchmark continues from here");
      throw;
    }
    LoadedRun run = open_run(folder.string(), open);
    score_on_new_sets(arguments.known->make(one.task), run);
    std::string unrefined = one.unrefined;
    if (const auto learned = unrefined.empty() ? load_likelihood(folder, *run.task) : std::nullopt;
        learned && !learned->unusable().empty())
      unrefined = learned->unusable();
    if (!unrefined.empty()) notes += fmt::format("{} is not refined: {}.\n", one.name, unrefined);
    const EvaluationOptions options = options_of(arguments, run);
    if (arguments.exported) check_export(run, options);
    const Metrics metrics = scored(run, options, unrefined.empty(), printer);
    if (const std::size_t wanted = parse_sizes(arguments.sizes, "--sizes", "--sizes ").size();
        options.sizes.size() < wanted)
      notes += fmt::format("{} is not scored beyond N = {}, the largest of its run.\n", one.name,
                           count_text(run.estimator->max_n()));
    if (arguments.exported) export_sets(run, options, metrics, folder / "tested", keep_going);
    // Which posterior a user sees first, chosen on sets that are not scored here.
    const std::optional<SourceChoice> choice = unrefined.empty() ? load_source_choice(folder) : std::nullopt;
    const Sharpness proved = sharpness(metrics, {});
    if (proved.loses()) notes += fmt::format("{}: {}.\n", one.name, sharpness_text(proved));
    const double training = seconds_of(folder / run_file::events),
                 learning = seconds_of(likelihood_folder(folder) / run_file::events);
    nlohmann::json document = {{"name", one.name},
                               {"run", folder.string()},
                               {"seconds", {{"run", training}, {"likelihood", learning}}},
                               {"unrefined", unrefined},
                               {"sharpness", sharpness_document(proved)},
                               {"rows", nlohmann::json::array()}};
    for (const EvaluationRow& row : metrics.rows) {
      const auto gap = row.reference_gap.find(kRefined);
      const auto gain = row.reference_gain.find(kRefined);
      const bool refined = gap != row.reference_gap.end() && gain != row.reference_gain.end();
      const bool first = &row == &metrics.rows.front();
      table.add({first ? one.name : "", count_text(row.n), count_text(row.sets), gap_text(row.gap, row.gap_se),
                 refined ? gap_text(gap->second.mean, gap->second.se) : "–",
                 choice && choice->refined(row.n) ? "refined" : "run",
                 refined ? count_text(gain->second.left_out) : "–",
                 first ? fmt::format("{} + {}", duration_text(training), duration_text(learning)) : ""});
      nlohmann::json line = {{"n", row.n},
                             {"sets", row.sets},
                             {"first", choice && choice->refined(row.n) ? "refined" : "run"},
                             {"exact_nll", number(row.exact_on_sets())},
                             {"gap", number(row.gap)},
                             {"gap_se", number(row.gap_se)}};
      if (refined)
        line["refined"] = {{"gap", number(gap->second.mean)},
                           {"gap_se", number(gap->second.se)},
                           {"sets", gain->second.sets},
                           {"refused", gain->second.left_out}};
      document["rows"].push_back(std::move(line));
    }
    result.document["tasks"].push_back(std::move(document));
    write_file(fs::path(arguments.out) / "benchmark.json", result.document.dump(1) + "\n");
  }
  result.text = table.text();
  if (!notes.empty()) result.text += "\n" + notes;
  result.text += fmt::format("\nResults: {}\n", (fs::path(arguments.out) / "benchmark.json").string());
  return result;
}

}  // namespace

Action add_benchmark(CLI::App& app, const Catalog& tasks) {
  const auto arguments = std::make_shared<BenchmarkArguments>();
  arguments->known = tasks;
  app.add_option("NAME", arguments->names, "Tasks of the benchmark (default: all)")->type_name("NAME");
  app.add_option("--preset", arguments->wanted.preset, "quick, small or paper")
      ->type_name("NAME")
      ->capture_default_str();
  app.add_option("--strategy", arguments->wanted.strategy, "Which N the embedder sees, as in run")
      ->type_name("NAME")
      ->capture_default_str();
  app.add_option("--set", arguments->wanted.set, "A setting of the runs, as in run")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  app.add_option("--budget", arguments->budget,
                 "Simulated observations of each task: a number such as 1e5, or quick for as many as the preset draws")
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--seed", arguments->wanted.seed, "Seed of the runs and likelihoods (default: the preset's, 1)")
      ->type_name("N")
      ->transform(whole_number(0, 9007199254740992));
  app.add_option("--sizes", arguments->sizes, "Set sizes")->type_name("N,N,...")->capture_default_str();
  app.add_option("--sets", arguments->sets, "Test sets: one number, or one per size")
      ->type_name("M,M,...")
      ->capture_default_str();
  app.add_option("--folder", arguments->folder, "Tasks of your own: a folder of folders with a task.toml each")
      ->type_name("DIR");
  app.add_option("--out", arguments->out, "Folder of the runs and results")->type_name("DIR")->capture_default_str();
  app.add_flag("--export", arguments->exported,
               "Also write the test sets into the folder tested of each run, as evaluate --export does");
  app.add_flag("--plan", arguments->plan, "Train nothing; print the expected times");
  app.add_option("--device", arguments->wanted.device, "auto, cpu or cuda (default: auto)")
      ->type_name("NAME")
      ->check(CLI::IsMember({"auto", "cpu", "cuda"}));
  app.add_option("--threads", arguments->wanted.threads, "CPU threads, 0 = all cores (default: 0)")
      ->type_name("N")
      ->check(CLI::Range(0, 4096));
  add_allow_option(app, arguments->allow);
  app.footer(
      "Trains a run and a likelihood of one observation for each task of the benchmark, and scores both against the\n"
      "exact posterior on the same sets: gap = mean of log exact - log ours at the truth, in nat. The tasks are\n"
      "folders with a simulator in numpy and the exact posterior. After a stop the same command goes on where it was.\n"
      "Examples:\n"
      "  pairs --batch benchmark --plan line\n"
      "  pairs --batch benchmark line decades --sizes 1,10 --out runs/benchmark\n"
      "  pairs --batch benchmark outliers --budget 1e5 --sets 60 --out runs/budget");
  return [arguments] { return benchmark(*arguments); };
}

}  // namespace pairs::batch
