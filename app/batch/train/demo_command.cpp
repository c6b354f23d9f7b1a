#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>

#include "app/batch/parts/arguments.h"
#include "app/batch/parts/command.h"
#include "app/batch/parts/drive.h"
#include "app/batch/parts/exit_on_signal.h"
#include "app/batch/parts/numbers.h"
#include "app/batch/parts/printed_evaluation.h"
#include "app/batch/parts/printed_training.h"
#include "app/kinds/samples_figure.h"
#include "app/kinds/target_room.h"
#include "app/posterior/figures/posterior_pictures.h"
#include "app/posterior/figures/width_figure.h"
#include "app/runs/places.h"
#include "app/runs/task_words.h"
#include "app/scores/score_figures.h"
#include "app/scores/scoring.h"
#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/base/threads/clock.h"
#include "core/report/number_text.h"
#include "core/train/run/shipped.h"
#include "core/train/settings/unread.h"

namespace pairs::batch {
namespace {

struct DemoArguments {
  Catalog known;  // all tasks
  NewRun wanted;
  std::string out = "runs/demo";
  std::vector<std::string> tasks, train;
};

// The run of one task: its preset with the settings that it reads.
NewRun run_of(const DemoArguments& arguments, const std::string& task) {
  NewRun wanted = arguments.wanted;
  wanted.task = task;
  const RunConfig preset =
      preset_values(arguments.known, arguments.known->make(task)->info(), wanted.preset, wanted.strategy);
  wanted.set = read_assignments(preset, wanted.set);
  return wanted;
}

// Trains the task's run, resumes an interrupted one, or uses a finished one.
void prepare(const DemoArguments& arguments, const std::string& task, const std::filesystem::path& folder,
             ProgressPrinter& printer) {
  const NewRun wanted = run_of(arguments, task);
  RunConfig config = resolve(arguments.known, wanted);
  if (!std::filesystem::exists(folder / run_file::config)) {
    report_expectation(*arguments.known, config, folder);
    const SavesOnSignal saves;
    if (!keep_going()) throw Stopped();
    create_run(config, folder);
    return train_run(arguments.known, folder, Stage::finetune, printer);
  }
  RunConfig stored = read_run_toml(arguments.known, folder / run_file::config);
  if (wanted.device.empty() || wanted.device == "auto") config.device = stored.device;
  if (wanted.data.empty()) config.data = stored.data;
  // Presets change from version to version: a run started with an earlier one continues with its own settings unless
  // settings were given.
  const bool alike = write_run_toml(config, "") == write_run_toml(stored, "");
  const bool asked = !wanted.set.empty() || wanted.seed >= 0 || wanted.threads >= 0;
  if (stored.task != task || stored.preset != config.preset || (asked && !alike))
    fail_usage("{} holds a run with other settings than these; remove it or choose another --out folder",
               folder.string());
  const bool finished = run_status(folder).finished;
  if (!alike)
    printer.line(fmt::format("{}: {} keeps the settings it was begun with, which are not the preset's of this version",
                             task, folder.string()));
  printer.line(finished ? fmt::format("{}: {} is finished and used as it stands; remove it to train again", task,
                                      folder.string())
                        : fmt::format("{}: continuing {}", task, folder.string()));
  if (finished) return;
  const SavesOnSignal saves;
  train_run(arguments.known, folder, Stage::finetune, printer);
}

// The figures of a task, in the folder `figures`.
class Pictures {
 public:
  Pictures(std::filesystem::path figures, ProgressPrinter& printer) : folder_(std::move(figures)), printer_(printer) {
    std::filesystem::create_directories(folder_);
  }
  void save(const std::string& name, const Figure& figure) {
    for (const char* extension : {".svg", ".png"}) {
      const auto file = folder_ / (name + extension);
      write_figure(file, figure);
      files_.push_back(file.string());
    }
  }
  void save(const std::string& name, const std::string& bytes) {
    write_file(folder_ / name, bytes);
    files_.push_back((folder_ / name).string());
  }
  // Reports the last saved picture.
  void print(const std::string& what) { printer_.line(fmt::format("{}: {}", what, files_.back())); }
  const std::vector<std::string>& files() const { return files_; }

 private:
  std::filesystem::path folder_;
  ProgressPrinter& printer_;
  std::vector<std::string> files_;
};

// The posterior first, which users wait for; then the scores: those of shipped weights are stored.
std::optional<Metrics> draw(const LoadedRun& run, Pictures& pictures, ProgressPrinter& printer) {
  printer.line(fmt::format("{}: drawing", run.config.task));
  pictures.save("samples", samples_figure(*run.task, 0));
  const PosteriorPictures posterior = posterior_pictures(run, keep_going);
  for (const auto& [name, figure] : posterior.figures) pictures.save(name, figure);
  for (const auto& [name, bytes] : posterior.files) pictures.save(name, bytes);
  pictures.print(fmt::format("{}: {}", run.config.task, posterior.what));
  if (has_width_figure(*run.task)) pictures.save("width", width_figure({run}, {.sets = 40}, keep_going).figure);
  const std::optional<Metrics> metrics = is_shipped(run.folder) ? stored_metrics(run) : metrics_of(run, printer);
  if (metrics) {
    const ScoreFigure scores = scoring_of(metrics->rows).figures({*metrics}).front();
    pictures.save(scores.name, scores.draw({*metrics}));
  }
  return metrics;
}

// The tasks of a demonstration: shipped weights come first, since their figures are quick.
struct Plan {
  std::vector<std::string> shipped, trained;
};
Plan plan(const DemoArguments& arguments) {
  const auto names = [](const std::vector<std::string>& all, const std::string& one) {
    return std::find(all.begin(), all.end(), one) != all.end();
  };
  const std::vector<std::string> tasks = arguments.tasks.empty() ? arguments.known->names() : arguments.tasks;
  Plan plan;
  for (const std::string& task : tasks) {
    const std::shared_ptr<const Task> made = arguments.known->make(task);
    // Images, and sets about items that are prepared one by one, are slow to train.
    const bool soon = target_room_of(made->info()).trains_soon() && made->info().subject.empty();
    const bool train = soon || names(arguments.train, task) || !has_shipped_weights(arguments.known, task);
    (train ? plan.trained : plan.shipped).push_back(task);
  }
  for (const std::string& task : arguments.train)
    if (arguments.known->make(task); !names(tasks, task)) fail_usage("--train {} is not among the --tasks", task);
  // Checks the settings of all runs before training the first.
  std::set<std::string> read;
  for (const std::string& task : plan.trained) {
    const NewRun wanted = run_of(arguments, task);
    resolve(arguments.known, wanted);
    read.insert(wanted.set.begin(), wanted.set.end());
  }
  for (const std::string& one : arguments.wanted.set)
    if (!plan.trained.empty() && !read.contains(one)) {
      NewRun wanted = arguments.wanted;
      wanted.task = plan.trained.front();
      wanted.set = {one};
      resolve(arguments.known, wanted);  // reports why nothing reads it
    }
  return plan;
}

Result demonstrate(const DemoArguments& arguments, const Plan& plan, ProgressPrinter& printer) {
  const Stopwatch watch;
  OpenArguments open;
  open.tasks = arguments.known;
  open.data = arguments.wanted.data;
  if (!arguments.wanted.device.empty()) open.device = arguments.wanted.device;
  if (arguments.wanted.threads > 0) open.threads = arguments.wanted.threads;
  set_threads(open.threads);
  Result result;
  result.document = {{"tasks", nlohmann::json::array()}};
  const auto add = [&](const std::string& task, bool train) {
    const std::filesystem::path folder = std::filesystem::path(arguments.out) / task;
    if (train) prepare(arguments, task, folder, printer);
    const LoadedRun run = open_run(train ? folder.string() : task, open);
    Pictures pictures(folder / "figures", printer);
    const std::optional<Metrics> metrics = draw(run, pictures, printer);
    nlohmann::json line = metrics ? metrics_document(*metrics) : nlohmann::json{{"task", task}};
    line["run"] = run.folder.string();
    line["figures"] = pictures.files();
    result.document["tasks"].push_back(line);
    result.text += fmt::format("{} ({}, {}): {}\n", run.task->info().title, run.task->info().data_source,
                               train ? "preset " + run.config.preset : "shipped weights", run.folder.string());
    result.text += metrics ? metrics_table(metrics->rows, 2)
                           : fmt::format("  no scores are stored; pairs --batch evaluate {} makes them\n", task);
    if (run.task->references().empty()) result.text += "  (this task has no exact posterior to compare with)\n";
    result.text += fmt::format("  figures: {}\n\n", (folder / "figures").string());
  };
  for (const std::string& task : plan.shipped) add(task, false);
  for (const std::string& task : plan.trained) add(task, true);
  result.document["seconds"] = watch.seconds();
  result.text += fmt::format("Done in {}.\n", duration_text(watch.seconds()));
  if (!plan.trained.empty())
    result.text += fmt::format("Next: pairs --batch figure {} {}\n",
                               target_room_of(arguments.known->make(plan.trained.front())->info()).next_figure(),
                               shell_word((std::filesystem::path(arguments.out) / plan.trained.front()).string()));
  return result;
}

Result demo(const DemoArguments& arguments) {
  ProgressPrinter printer = stderr_printer();
  try {
    return demonstrate(arguments, plan(arguments), printer);
  } catch (const Stopped&) {
    printer.line("stopped: run the same command again, and the demonstration continues from here");
    throw;
  }
}

}  // namespace

Action add_demo(CLI::App& app, const Catalog& tasks) {
  const auto arguments = std::make_shared<DemoArguments>();
  arguments->known = tasks;
  app.add_option("--out", arguments->out, "Folder of the runs")->type_name("DIR")->capture_default_str();
  app.add_option("--preset", arguments->wanted.preset, "quick, small or paper")
      ->type_name("NAME")
      ->capture_default_str();
  app.add_option("--tasks", arguments->tasks, "Only these tasks (default: all)")->type_name("TASK,...")->delimiter(',');
  app.add_option("--train", arguments->train,
                 "Train these, too: those that take long are drawn from their shipped weights otherwise")
      ->type_name("TASK,...")
      ->delimiter(',');
  app.add_option("--set", arguments->wanted.set, "A setting for every task that is trained and reads it, as in run")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  app.add_option("--seed", arguments->wanted.seed, "Seed of the runs (default: the preset's, 1)")
      ->type_name("N")
      ->transform(whole_number(0, 9007199254740992));
  app.add_option("--data", arguments->wanted.data, "Folder of real data (default: $PAIRS_DATA)")->type_name("DIR");
  app.add_option("--device", arguments->wanted.device, "auto, cpu or cuda (default: auto)")
      ->type_name("NAME")
      ->check(CLI::IsMember({"auto", "cpu", "cuda"}));
  app.add_option("--threads", arguments->wanted.threads, "CPU threads, 0 = all cores (default: 0)")
      ->type_name("N")
      ->check(CLI::Range(0, 4096));
  app.footer(
      with_task_names("Trains, draws and evaluates every task, with the exact posterior where it is known; those that "
                      "take long to\ntrain are drawn from the shipped weights. After a stop the same command continues "
                      "where it was; finished runs in the folder are used as they stand. Examples:\n"
                      "  pairs --batch demo --out runs/demo\n"
                      "  pairs --batch demo --tasks {views} --train {views}"));
  return [arguments] { return demo(*arguments); };
}

}  // namespace pairs::batch
