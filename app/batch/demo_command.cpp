#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "app/batch/arguments.h"
#include "app/batch/command.h"
#include "app/batch/drive.h"
#include "app/batch/evaluation.h"
#include "app/batch/training.h"
#include "app/common/figures.h"
#include "app/common/table.h"
#include "core/base/clock.h"
#include "core/base/error.h"
#include "tasks/registry.h"

namespace pairs::batch {
namespace {

struct DemoArguments {
  NewRun wanted;
  std::string out = "runs/demo";
  std::vector<std::string> tasks;
};

// Trains the task's run, continues it when it was interrupted, or takes it as it stands when it is finished.
void prepare(const DemoArguments& arguments, const std::string& task, const std::filesystem::path& folder,
             ProgressPrinter& printer) {
  NewRun wanted = arguments.wanted;
  wanted.task = task;
  RunConfig config = resolve(wanted);
  if (!std::filesystem::exists(folder / run_file::config)) {
    start_run(config, folder);
    return train_run(folder, Stage::finetune, printer);
  }
  RunConfig stored = read_run_toml(folder / run_file::config);
  if (wanted.device.empty() || wanted.device == "auto") config.device = stored.device;
  if (wanted.data.empty()) config.data = stored.data;
  // Presets change from version to version: a run that was begun with an earlier one goes on with its own settings,
  // unless settings were asked for.
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
  if (!finished) train_run(folder, Stage::finetune, printer);
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
  if (run.task->info().image_target()) {
    save("mse", mse_figure({metrics}));
  } else {
    save("nll", nll_figure({metrics}));
    save("posterior", posterior_figure({run}, 0, keep_going));
  }
  save("samples", samples_figure(*run.task, 0));
  if (run.config.task == "bump-hunt") save("width", width_figure({run}, 40, keep_going));
  return files;
}

Result demo(const DemoArguments& arguments) {
  const Stopwatch watch;
  OpenArguments open;
  open.data = arguments.wanted.data;
  if (!arguments.wanted.device.empty()) open.device = arguments.wanted.device;
  if (arguments.wanted.threads > 0) open.threads = arguments.wanted.threads;
  set_threads(open.threads);
  ProgressPrinter printer = stderr_printer();
  Result result;
  result.document = {{"tasks", nlohmann::json::array()}};
  const std::vector<std::string> tasks = arguments.tasks.empty() ? task_names() : arguments.tasks;
  for (const std::string& task : tasks) make_task(task);
  for (const std::string& task : tasks) {
    const std::filesystem::path folder = std::filesystem::path(arguments.out) / task;
    prepare(arguments, task, folder, printer);
    const LoadedRun run = open_run(folder.string(), open);
    const Metrics metrics = metrics_of(run, printer);
    const std::vector<std::string> files = draw(run, metrics, folder / "figures", printer);
    nlohmann::json line = metrics_document(metrics);
    line["run"] = folder.string();
    line["figures"] = files;
    result.document["tasks"].push_back(line);
    result.text += fmt::format("{} ({}, preset {}): {}\n{}", run.task->info().title, metrics.data, metrics.preset,
                               folder.string(), metrics_table(metrics.rows, 2));
    if (run.task->references().empty() && !run.task->info().image_target())
      result.text += "  (this task has no exact posterior to compare with)\n";
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
  app.add_option("--preset", arguments->wanted.preset, "quick, small or paper")
      ->type_name("NAME")
      ->capture_default_str();
  app.add_option("--tasks", arguments->tasks, "Only these tasks (default: all)")->type_name("TASK,...")->delimiter(',');
  app.add_option("--set", arguments->wanted.set, "A setting for every task, as in run")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  app.add_option("--seed", arguments->wanted.seed, "Seed of the runs (default: the preset's, 1)")
      ->type_name("N")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{9007199254740992}));
  app.add_option("--data", arguments->wanted.data, "Folder of real data (default: $PAIRS_DATA)")->type_name("DIR");
  app.add_option("--device", arguments->wanted.device, "auto, cpu or cuda (default: auto)")
      ->type_name("NAME")
      ->check(CLI::IsMember({"auto", "cpu", "cuda"}));
  app.add_option("--threads", arguments->wanted.threads, "CPU threads, 0 = all cores (default: 0)")
      ->type_name("N")
      ->check(CLI::Range(0, 4096));
  app.footer(
      "Trains, evaluates and draws every task; a few minutes on two cores. Interrupted, it goes on where it stopped;\n"
      "finished runs in the folder are used again. Example:\n  pairs --batch demo --out runs/demo");
  return [arguments] { return demo(*arguments); };
}

}  // namespace pairs::batch
