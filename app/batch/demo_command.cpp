#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "app/batch/arguments.h"
#include "app/batch/command.h"
#include "app/batch/evaluation.h"
#include "app/batch/figures.h"
#include "app/batch/table.h"
#include "app/batch/training.h"
#include "core/base/clock.h"
#include "core/base/error.h"
#include "tasks/registry.h"

namespace pairs::batch {
namespace {

struct DemoArguments {
  std::string out = "runs/demo", preset = "quick";
  OpenArguments open;
  std::vector<std::string> tasks, set;
  std::int64_t seed = 1;
};

RunConfig demo_config(const DemoArguments& arguments, const std::string& task) {
  TaskOptions options;
  options.data = data_folder(arguments.open.data);
  std::vector<std::string> settings = arguments.set;
  settings.push_back(fmt::format("seed={}", arguments.seed));
  settings.push_back(fmt::format("threads={}", arguments.open.threads));
  settings.push_back("device=" + arguments.open.device);
  RunConfig config = load_preset(make_task(task, options)->info(), arguments.preset, "pairs", settings);
  if (!options.data.empty()) config.data = std::filesystem::absolute(options.data).lexically_normal().string();
  return config;
}

// Trains the task's run, continues it when it was interrupted, or takes it as it stands when it is finished.
void prepare(const DemoArguments& arguments, const std::string& task, const std::filesystem::path& folder,
             ProgressPrinter& printer) {
  if (!std::filesystem::exists(folder / run_file::config)) {
    start_run(demo_config(arguments, task), folder);
  } else if (run_status(folder).finished) {
    printer.line(
        fmt::format("{}: {} is finished and used as it stands; remove it to train again", task, folder.string()));
    return;
  } else {
    printer.line(fmt::format("{}: continuing {}", task, folder.string()));
  }
  train_run(folder, Stage::finetune, printer);
}

std::vector<std::string> draw(const LoadedRun& run, const Metrics& metrics, const std::filesystem::path& folder,
                              ProgressPrinter& printer) {
  std::filesystem::create_directories(folder);
  std::vector<std::string> files;
  const auto save = [&](const std::string& name, const Figure& figure) {
    for (const char* extension : {".svg", ".png"}) {
      const auto file = folder / (name + extension);
      write_figure(file, figure);
      files.push_back(file.string());
    }
  };
  printer.line(fmt::format("{}: drawing", run.config.task));
  save("nll", nll_figure({metrics}));
  save("posterior", posterior_figure({run}, 0));
  save("samples", samples_figure(*run.task, 0));
  if (run.config.task == "bump-hunt") save("width", width_figure({run}, 40));
  return files;
}

Result demo(const DemoArguments& arguments) {
  const Stopwatch watch;
  set_threads(arguments.open.threads);
  ProgressPrinter printer = stderr_printer();
  Result result;
  result.document = {{"tasks", nlohmann::json::array()}};
  const std::vector<std::string> tasks = arguments.tasks.empty() ? task_names() : arguments.tasks;
  for (const std::string& task : tasks) make_task(task);
  for (const std::string& task : tasks) {
    const std::filesystem::path folder = std::filesystem::path(arguments.out) / task;
    prepare(arguments, task, folder, printer);
    const LoadedRun run = open_run(folder.string(), arguments.open);
    const Metrics metrics = metrics_of(run, printer);
    const std::vector<std::string> files = draw(run, metrics, folder / "figures", printer);
    nlohmann::json line = metrics_document(metrics);
    line["run"] = folder.string();
    line["figures"] = files;
    result.document["tasks"].push_back(line);
    result.text += fmt::format("{} ({}, preset {}): {}\n{}", run.task->info().title, metrics.data, metrics.preset,
                               folder.string(), metrics_table(metrics.rows, 2));
    if (run.task->references().empty()) result.text += "  (this task has no exact posterior to compare with)\n";
    result.text += fmt::format("  figures: {}\n\n", (folder / "figures").string());
  }
  result.document["seconds"] = watch.seconds();
  result.text += fmt::format("Done in {}. Try: pairs --batch figure list, pairs --batch infer {}/{} --data FILE\n",
                             duration_text(watch.seconds()), arguments.out, tasks.front());
  return result;
}

}  // namespace

Action add_demo(CLI::App& app) {
  const auto arguments = std::make_shared<DemoArguments>();
  app.add_option("--out", arguments->out, "Folder of the runs")->type_name("DIR")->capture_default_str();
  app.add_option("--preset", arguments->preset, "quick, small or paper")->type_name("NAME")->capture_default_str();
  app.add_option("--tasks", arguments->tasks, "Only these tasks (default: all)")->type_name("TASK,...")->delimiter(',');
  app.add_option("--set", arguments->set, "A setting for every task, as in run")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  app.add_option("--seed", arguments->seed, "Seed of the runs")
      ->type_name("N")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{9007199254740992}))
      ->capture_default_str();
  add_open_arguments(app, arguments->open);
  app.footer(
      "Trains, evaluates and draws every task; a few minutes on two cores. Interrupted, it goes on where it stopped;\n"
      "finished runs in the folder are used again. Example:\n  pairs --batch demo --out runs/demo");
  return [arguments] { return demo(*arguments); };
}

}  // namespace pairs::batch
