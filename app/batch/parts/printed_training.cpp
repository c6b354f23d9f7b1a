#include "app/batch/parts/printed_training.h"

#include <fmt/format.h>

#include <cmath>

#include "app/batch/parts/arguments.h"
#include "app/batch/parts/budget_report.h"
#include "app/batch/parts/drive.h"
#include "app/runs/invalid_text.h"
#include "app/runs/new_run.h"
#include "app/runs/task_options.h"
#include "app/scores/learned.h"
#include "app/text/table.h"
#include "core/base/fields/face.h"
#include "core/base/system/crash_report.h"
#include "core/base/system/streams.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/report/number_text.h"
#include "core/train/events/event_values.h"
#include "core/train/run/run_progress.h"
#include "core/train/stages/likelihood_stage.h"
#include "core/train/stages/plan.h"

namespace pairs::batch {
namespace {

// The end of a run's log.
struct TrainingLog {
  std::vector<Event> prepared, stages;  // its events of these types
  bool learned_nothing = false;
  std::string problem = {};  // of the record, a clause
};

TrainingLog training_log(const std::filesystem::path& folder, const RunConfig& config, const RunStatus& status) {
  const auto file = folder / run_file::events;
  TrainingLog log;
  if (!std::filesystem::exists(file)) return log;
  RunProgress progress;
  for (Event& event : read_events(file.string())) {
    progress.add(event);
    if (event.type == EventType::prepared)
      log.prepared.push_back(std::move(event));
    else if (event.type == EventType::stage_done)
      log.stages.push_back(std::move(event));
  }
  // The likelihood has a log of its own.
  if (const auto learning = likelihood_folder(folder) / run_file::events; std::filesystem::exists(learning))
    for (Event& event : read_events(learning.string()))
      if (event.type == EventType::stage_done) log.stages.push_back(std::move(event));
  log.learned_nothing = progress.learned_nothing();
  if (status.pretrained || progress.damaged()) log.problem = record_problem(config, progress, status.finished);
  return log;
}

}  // namespace

void report_expectation(const TaskCatalog& tasks, const RunConfig& config, const std::filesystem::path& folder) {
  const ExpectedCost need = expected_cost(
      config, [] { return !keep_going(); }, [] { print("Measuring how long training takes on this machine …\n"); });
  const auto task = planned_task(config);
  const std::string& source = task->info().data_source;
  const bool patient = config.pretrain.patience > 0 || config.finetune.patience > 0;
  print(fmt::format("{}, {}, {}: {}{}{}, {}, {} of disk for the cache{}\n", config.task, config.preset, config.strategy,
                    expected_text(config, need), patient ? ", less where patience ends a stage" : "",
                    task->info().subject.empty() ? "" : ", after its data are made, once", flop_text(need.gflop),
                    byte_text(static_cast<std::uint64_t>(need.cache_bytes)),
                    source == "simulated" ? "" : ", on " + source));
  if (const std::string budget = budget_lines(config); !budget.empty()) print(budget);
  if (const DataSet* set = config.data.empty() ? nullptr : tasks.data_set_of(config.task);
      set && tasks.make(config.task, options_without_data(config))->info().data_source == source)
    print(
        fmt::format("warning: {} holds no {} that this task reads, so the run is trained on {}; pairs --batch data "
                    "--data {} lists what was found\n",
                    printable(config.data, 300), set->name, source, printable(config.data, 300)));
  if (const StoredSets* stored = task->stored()) {
    for (const SetService& one : stored->service(set_demands(config, task))) print(one.text + "\n");
    for (const std::string& note : stored->notes()) print(note + "\n");
  }
  if (const std::string busy = busy_note(config, need); !busy.empty()) print(busy + "\n");
  if (const std::string advice = budget_advice(tasks, config, need); !advice.empty()) print(advice + "\n");
  if (!keep_going()) throw Stopped();
  check_room(need.cache_bytes, folder.empty() ? std::filesystem::path("runs") : folder,
             "choose another place with --out");
}

void train_run(const Tasks& tasks, const std::filesystem::path& folder, Stage until, ProgressPrinter& printer,
               Ranks* ranks) {
  printer.line(fmt::format("run folder: {}", folder.string()));
  if (const std::string crash = crash_text(folder); !crash.empty())
    printer.line(fmt::format("warning: {}; the run goes on from its last checkpoint", crash));
  drive([&](Monitor& monitor) { execute_run(tasks, folder, monitor, until, ranks); }, printer);
}

bool ended_by_error(const std::filesystem::path& folder) {
  const auto log = folder / run_file::events;
  if (!std::filesystem::exists(log)) return false;
  try {
    return !read_progress(log).error().empty();
  } catch (const std::exception&) {
    return false;  // reports why the run failed, not that its log is damaged
  }
}

void report_continuation(const std::filesystem::path& folder, ProgressPrinter& printer) {
  std::error_code error;
  if (!std::filesystem::exists(folder / run_file::config, error)) return;  // it was removed in the meantime
  printer.line(fmt::format("continue with: pairs --batch run --resume {}", shell_word(folder.string())));
}

namespace {

nlohmann::json run_document(const std::filesystem::path& folder, const RunConfig& config, bool finished,
                            const TrainingLog& log) {
  nlohmann::json out = {{"run", folder.string()},           {"task", config.task}, {"preset", config.preset},
                        {"strategy", config.strategy},      {"seed", config.seed}, {"finished", finished},
                        {"stages", nlohmann::json::array()}};
  for (const Event& event : log.prepared) {
    nlohmann::json made = event.values;
    made["seconds"] = event.seconds;
    out["prepared"].push_back(made);
  }
  for (const Event& event : log.stages) {
    nlohmann::json stage = event.values;
    stage["stage"] = stage_name(event.stage);
    stage["seconds"] = event.seconds;
    out["stages"].push_back(stage);
  }
  if (log.learned_nothing) out["learned_nothing"] = true;
  if (!log.problem.empty()) out["record"] = log.problem;
  return out;
}

// The command that follows a finished run: a custom task's likelihood first, by which its posteriors may become
// sharper.
std::string next_command(const std::filesystem::path& folder, const RunConfig& config) {
  const std::string name = shell_word(folder.string());
  std::error_code code;
  const bool learn = !config.task_file.empty() && LearnedLikelihood::refused(*config.make_task()).empty() &&
                     !std::filesystem::exists(likelihood_folder(folder) / likelihood_file::weights, code);
  return fmt::format("pairs --batch {} {}", learn ? "likelihood" : "evaluate", name);
}

std::string run_text(const std::filesystem::path& folder, const RunConfig& config, bool finished,
                     const TrainingLog& log) {
  Table table({{"stage", false}, {"time"}, {"sets"}, {"loss"}, {"validation"}});
  for (const Event& event : log.prepared) table.add({"data", duration_text(event.seconds), "–", "–", "–"});
  for (const Event& event : log.stages) {
    const double sets = event_number(event, "sets");
    table.add({stage_name(event.stage), duration_text(event.seconds),
               std::isnan(sets) ? "–" : count_text(static_cast<std::int64_t>(sets)),
               number_text(event_number(event, "loss"), 4), number_text(event_number(event, "validation"), 4)});
  }
  const std::string name = shell_word(folder.string());
  return table.text() + (log.learned_nothing ? fmt::format("\n{}.\n", learned_nothing_verdict().text) : "") +
         (log.problem.empty() ? "" : fmt::format("\nThe run's record cannot be relied on: {}.\n", log.problem)) +
         (finished ? fmt::format("\nRun: {}\nNext: {}\n", name, next_command(folder, config))
                   : fmt::format("\nRun: {0}, not finished\nNext: pairs --batch run --resume {0}\n", name));
}

}  // namespace

Result run_result(const Tasks& tasks, const std::filesystem::path& folder) {
  const RunConfig config = read_run_toml(tasks, folder / run_file::config);
  const RunStatus status = run_status(folder);
  const TrainingLog log = training_log(folder, config, status);
  Result result{run_document(folder, config, status.finished, log), run_text(folder, config, status.finished, log), 0};
  if (const nlohmann::json invalid = invalid_of_run(folder); !invalid.is_null()) {
    result.document["invalid"] = invalid;
    result.text += "\n" + invalid_text(invalid);
  }
  return result;
}

}  // namespace pairs::batch
