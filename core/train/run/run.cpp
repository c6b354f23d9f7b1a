#include "core/train/run/run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/base/fields/face.h"
#include "core/base/files/files.h"
#include "core/base/files/safetensors.h"
#include "core/base/gpu/devices.h"
#include "core/base/system/crash_report.h"
#include "core/base/text/error.h"
#include "core/base/text/log.h"
#include "core/base/text/text.h"
#include "core/base/threads/clock.h"
#include "core/ensemble.h"
#include "core/simulation_budget.h"
#include "core/train/cache/left_aggregates.h"
#include "core/train/events/event_values.h"
#include "core/train/run/cost.h"
#include "core/train/run/rank_run.h"
#include "core/train/run/run_name.h"
#include "core/train/run/run_progress.h"
#include "core/train/run/shipped.h"
#include "core/train/run/shipped_name.h"
#include "core/train/run/simulator_record.h"
#include "core/train/run/work_watch.h"

namespace pairs {
namespace {

// Writes events to the run's log and passes everything on.
class LoggingMonitor : public Monitor {
 public:
  LoggingMonitor(const std::filesystem::path& run, const FolderLock& lock, Monitor& next)
      : file_(run / run_file::events), lock_(lock), next_(next) {}
  void event(const Event& event) override {
    lock_.check();
    append_event(file_, event);
    note_for_crash(log_line(event));
    if (event.type == EventType::stage_started) {
      latest_ = {};
      latest_.stage = event.stage;
    }
    if (begins_stage(event)) stage_watch_.emplace();
    if (event.type == EventType::stage_done) stage_watch_.reset();
    next_.event(event);
  }
  void progress(const Progress& progress) override {
    latest_ = progress;
    next_.progress(progress);
  }
  // The latest progress.
  const Progress& latest() const { return latest_; }
  // Seconds of work on the stage that was last begun or resumed; NaN if it has ended, or if there was none.
  double stage_seconds() const { return stage_watch_ ? stage_watch_->seconds() : NAN; }
  bool should_stop() override {
    const bool stop = next_.should_stop();  // a pause may occur in it
    lock_.check();
    return stop;
  }
  bool wants_preview() override { return next_.wants_preview(); }
  void preview(const Preview& preview) override { next_.preview(preview); }

 private:
  std::filesystem::path file_;
  const FolderLock& lock_;
  Monitor& next_;
  Progress latest_;
  std::optional<WorkWatch> stage_watch_;
};

// The files that a run's stages leave in its folder for each other.
constexpr const char* kProducts[] = {run_file::start,  run_file::pretrained, run_file::estimator,
                                     run_file::resume, run_file::partial,    run_file::cache,
                                     run_file::pool,   run_file::stored,     kSimulatorFile};

// Whether it is one of the aggregates files of stage 2.
bool is_left(const std::filesystem::path& file) {
  const std::string name = file.filename().string();
  return name == run_file::cache || name == run_file::pool || is_later_cache(name);
}

// Whether a file may be in a folder without a run: the lock and temporary files of a run whose creation failed, and
// pictures of the demonstration, which uses shipped weights before it trains.
bool left_behind(const std::string& name) {
  return name == ".lock" || name == "figures" || (name.starts_with('.') && name.ends_with(".tmp"));
}

void clean_up(const FolderLock& lock) {
  lock.remove_leftovers([](std::string_view name) {
    return name == run_file::config || name == run_file::task || is_later_cache(name) ||
           std::find(std::begin(kProducts), std::end(kProducts), name) != std::end(kProducts);
  });
}

// Whether a run took its first stages from another one, whose later settings are its own (stage_sharing.h).
bool took_stages(const std::filesystem::path& run) {
  try {
    const std::vector<Event> events = read_events((run / run_file::events).string());
    return std::any_of(events.begin(), events.end(), [](const Event& event) { return event.type == EventType::taken; });
  } catch (const Error&) {
    return false;  // without a log it is unknown
  }
}

// A result belongs to the settings it was made with. Files of versions that did not record them pass. A warning reports
// a file from another program, which has no checksum.
void check_settings(const std::filesystem::path& run, const std::filesystem::path& file, const RunConfig& config) {
  const TensorFile content = read_safetensors(file);
  const std::map<std::string, std::string>& metadata = content.metadata;
  if (!content.checked)
    spdlog::warn("{} has no checksum, so whether its weights were changed or damaged is not known", file.string());
  const auto settings = metadata.find("training_settings"), stage = metadata.find("stage");
  if (settings == metadata.end() || stage == metadata.end()) return;
  const bool first = stage->second == stage_name(Stage::pretrain);
  const Stage last = first ? Stage::pretrain : Stage::finetune;
  const std::string where = (run / run_file::config).string();
  const std::string changed = changed_setting(settings->second, config, last, file.string());
  PAIRS_CHECK(changed.empty(), "{} as {} states now; put it back, or start a new run (run --set KEY=VALUE)", changed,
              where);
  const bool of_first = file.filename() == run_file::pretrained || !strategy(config.strategy).stages_2_and_3;
  PAIRS_CHECK(of_first == first, "{} holds the weights of stage {}, not of stage {}: another file is in its place; {}",
              file.string(), first ? 1 : 3, of_first ? 1 : 3, "remove it and resume the run, which makes it again");
  if (const std::string edited = edited_settings(settings->second, config, last, where);
      !edited.empty() && !(first && took_stages(run)))
    spdlog::warn("{} was changed since {} was trained, when it stated {}", where, file.filename().string(), edited);
}

// A stage counts as done only if its result can be read.
void check_products(const std::filesystem::path& run, const RunConfig& config, std::shared_ptr<const Task> task) {
  for (const char* name : {run_file::pretrained, run_file::estimator}) {
    const std::filesystem::path file = run / name;
    if (!std::filesystem::exists(file)) continue;
    try {
      Estimator::load(file, task);
    } catch (const Error& error) {
      // A file without permission to read may be intact.
      if (::access(file.c_str(), R_OK) != 0) throw;
      fail("{}; removing that file and resuming the run makes it again", error.what());
    }
    check_settings(run, file, config);
  }
}

// A half-finished run continues with the task that it began with.
void check_task_file(const std::filesystem::path& run, const RunConfig& config) {
  if (config.task_copy.empty() || run_status(run).finished) return;
  const std::string changed = config.tasks->changed(config.task_copy);
  PAIRS_CHECK(changed.empty(), "The run {} began with another task: {}; put it back, or start a new run", run.string(),
              changed);
}

// The weights in pretrain.from, after checking that they fit this configuration's networks.
struct Start {
  std::string weights;  // the file's content
  Event event;          // the log's first
};
Start start_of(const RunConfig& config) {
  const std::string& name = config.pretrain.from;
  try {
    const LoadedRun from = load_run(config.tasks, name, config.data, "cpu");
    if (from.config.task != config.task)
      fail_usage("it is a run of task {}, not {}; name one of this task", from.config.task, config.task);
    if (!from.config.ensemble.empty()) fail_usage("it is the mean of several runs; name one of these");
    const std::string left = Estimator(config.make_task(), config.estimator, 0).start_from(*from.estimator);
    if (!left.empty() && config.pretrain.epochs == 0 && !strategy(config.strategy).stages_2_and_3)
      fail_usage("no stage would train the fresh head, with {} = 0 and the strategy {}. {}", "pretrain.epochs"_key,
                 config.strategy, left);
    return {read_file(from.folder / (from.finetuned ? run_file::estimator : run_file::pretrained)), started_from(from)};
  } catch (const Error& error) {
    throw Error(
        fmt::format("Training cannot start from pretrain.from = \"{}\": {}", printable(name, 300), error.what()),
        error.kind(), {"pretrain.from"});
  }
}

}  // namespace

void check_new_run(const std::filesystem::path& folder) {
  const std::string name = printable(folder.string(), 300);
  if (std::filesystem::exists(folder / run_file::config))
    fail_usage("{} already holds a run; continue it with --resume {} or choose another folder", name, name);
  const auto refuse = [&](const char* file) {
    if (std::filesystem::exists(std::filesystem::symlink_status(folder / file)))
      fail_usage("{} holds {} of another run, which would be taken for this one's; choose another folder", name, file);
  };
  refuse(run_file::events);
  for (const char* file : kProducts) refuse(file);
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error))
    if (!left_behind(entry.path().filename().string()))
      fail_usage("{} is not empty, it holds {}; choose a new folder or an empty one", name,
                 printable(entry.path().filename().string(), 100));
}

void check_start(const RunConfig& config) {
  if (!config.pretrain.from.empty()) start_of(config);
}

std::filesystem::path make_run_folder(const RunConfig& config, const std::filesystem::path& wanted) {
  std::filesystem::path folder = wanted;
  std::error_code code;
  if (!wanted.empty()) {
    std::filesystem::create_directories(folder, code);
  } else {
    const std::filesystem::path base = folder = std::filesystem::path("runs") / stamped_name(config.task);
    std::filesystem::create_directories(base.parent_path(), code);
    for (int k = 2; !code && !std::filesystem::create_directory(folder, code); ++k)
      folder = fmt::format("{}-{}", base.string(), k);
  }
  PAIRS_CHECK(!code && std::filesystem::is_directory(folder),
              "Cannot create the run folder {}: {}; choose another folder", printable(folder.string(), 300),
              code ? code.message() : "a file of that name is in the way");
  return folder;
}

namespace {

// The copy of a custom task's file that the run keeps; "" for a built-in one.
std::string recorded_task(const RunConfig& config) {
  if (config.task_file.empty()) return "";
  const std::shared_ptr<const Task> task = config.make_task();
  const BudgetedSimulator* const budget = face<BudgetedSimulator>(*task);
  return budget != nullptr ? budget->recorded() : config.tasks->recorded(config.task_file);
}

}  // namespace

UnmadeRun::~UnmadeRun() {
  if (kept_) return;
  std::error_code ignored;
  if (!there_) {
    std::filesystem::remove_all(folder_, ignored);
    return;
  }
  for (const char* file : {run_file::config, run_file::task, run_file::events})
    std::filesystem::remove(folder_ / file, ignored);
  for (const char* file : kProducts) std::filesystem::remove(folder_ / file, ignored);
}

std::filesystem::path create_run(const RunConfig& config, const std::filesystem::path& wanted) {
  if (!wanted.empty()) check_new_run(wanted);
  const Start start = config.pretrain.from.empty() ? Start{} : start_of(config);
  const std::string task_text = recorded_task(config);
  const torch::Device device = choose_device(config.device);
  std::error_code error;
  const bool there = !wanted.empty() && std::filesystem::exists(wanted, error);
  const std::filesystem::path folder = make_run_folder(config, wanted);
  RunConfig resolved = config;
  resolved.device = device.is_cuda() ? "cuda" : "cpu";
  const FolderLock lock(folder);
  if (std::filesystem::exists(folder / run_file::config))
    fail_usage("{} already holds a run that another process has just made; choose another folder",
               printable(folder.string(), 300));
  UnmadeRun unmade(folder, there);
  clean_up(lock);
  if (!start.weights.empty()) {
    write_file(folder / run_file::start, start.weights);
    append_event(folder / run_file::events, start.event);
  }
  if (!config.task_file.empty()) write_file(folder / run_file::task, task_text);
  write_file(folder / run_file::config, write_run_toml(resolved, numerics_fingerprint(device)));
  unmade.keep();
  return folder;
}

RunStatus run_status(const std::filesystem::path& run) {
  RunStatus status;
  status.finished = std::filesystem::exists(run / run_file::estimator);
  status.pretrained = status.finished || std::filesystem::exists(run / run_file::pretrained);
  // The file has its full size from the start; completeness is recorded when it is reached.
  status.cached = status.finished;
  if (!status.cached && std::filesystem::exists(run / run_file::cache) &&
      std::filesystem::exists(run / run_file::events))
    status.cached = read_progress(run / run_file::events).stage(Stage::cache).done;
  return status;
}

std::uint64_t aggregates_bytes(const std::filesystem::path& run) {
  std::error_code error;
  std::uint64_t bytes = 0;
  for (const auto& entry : std::filesystem::directory_iterator(run, error))
    if (is_left(entry.path()) && entry.is_regular_file(error)) bytes += entry.file_size(error);
  return bytes;
}

std::string without_aggregates(const std::filesystem::path& run) {
  const RunStatus status = run_status(run);
  if (status.finished)
    return "The run is finished: it opens and evaluates without them, and there is nothing to resume";
  if (!status.cached) return "Resuming the run begins stage 2 anew: it makes them again, the same";
  return "Resuming the run makes them again, the same, before stage 3 goes on from where it was saved";
}

void drop_aggregates(const std::filesystem::path& run) {
  const FolderLock lock(run);
  for (const auto& entry : std::filesystem::directory_iterator(run))
    if (is_left(entry.path())) std::filesystem::remove(entry.path());
}

namespace {

void lead_run(const Tasks& tasks, const std::filesystem::path& run, Monitor& monitor, Stage until, Ranks* ranks) {
  PAIRS_CHECK(std::filesystem::exists(run / run_file::config), "{} is not a run folder: it holds no {}", run.string(),
              run_file::config);
  const FolderLock lock(run);
  clean_up(lock);
  const RunConfig config = read_run_toml(tasks, run / run_file::config);
  if (!config.ensemble.empty())
    fail_usage("{} is the mean of {} and has nothing to train; train these, and make it anew", run.string(),
               counted(config.ensemble.size(), "run"));
  check_task_file(run, config);
  check_products(run, config, make_run_task(config, run / run_file::config));
  file_crash(run);
  const CrashPlace crashes_beside(run);
  LoggingMonitor logging(run, lock, monitor);
  const WorkWatch watch;
  const auto report = [&](EventType type) {
    Event event;
    event.type = type;
    event.stage = logging.latest().stage;
    event.step = logging.latest().done;
    event.seconds = watch.seconds();
    if (const double stage = logging.stage_seconds(); std::isfinite(stage)) event.values["stage_seconds"] = stage;
    logging.event(event);
  };
  try {
    train_stages(run, config, logging, until, ranks);
    if (until == Stage::likelihood) learn_likelihood(run, config, monitor, logging);
  } catch (const Stopped&) {
    // Everything is saved by now: an unwritable log must not turn this into a failure.
    try {
      report(EventType::stopped);
    } catch (const Error&) {
    }
    throw;
  } catch (const std::exception& error) {
    Event event;
    event.type = EventType::error;
    event.seconds = watch.seconds();
    event.values = {{"text", sentence(error)}};
    if (const double stage = logging.stage_seconds(); std::isfinite(stage)) event.values["stage_seconds"] = stage;
    // If the disk is full, the log may fail, too; the sentence still reaches the client.
    try {
      lock.check();
      append_event(run / run_file::events, event);
    } catch (const Error&) {
    }
    throw;
  }
  report(EventType::done);
}

}  // namespace

void execute_run(const Tasks& tasks, const std::filesystem::path& run, Monitor& monitor, Stage until, Ranks* ranks) {
  if (ranks == nullptr) return lead_run(tasks, run, monitor, until, nullptr);
  as_rank(*ranks, [&] {
    if (ranks->leads())
      lead_run(tasks, run, monitor, until, ranks);
    else
      follow_run(tasks, run, monitor, until, *ranks);
  });
}

std::string weights_checksum(const LoadedRun& run) {
  return weights_checksum(run.folder / (run.finetuned ? run_file::estimator : run_file::pretrained));
}

std::string weights_checksum(const std::filesystem::path& weights) {
  const std::string bytes = read_file(weights);
  const std::map<std::string, std::string> metadata = safetensors_metadata(bytes, printable(weights.string(), 300));
  const auto kept = metadata.find(kWeightsChecksum);
  return kept == metadata.end() ? fmt::format("{:08x}", checksum(bytes)) : kept->second;
}

bool extrapolates(const LoadedRun& run, std::int64_t n) {
  if (run.finetuned && strategy(run.config.strategy).stages_2_and_3) return n > run.estimator->max_n();
  const std::vector<std::int64_t>& sizes = run.config.pretrain.sizes;
  return std::find(sizes.begin(), sizes.end(), n) == sizes.end();
}

RunFolder find_run(const Tasks& tasks, const std::string& run, const std::string& data) {
  const std::filesystem::path folder = run;
  if (std::filesystem::exists(folder / run_file::config))
    return {folder, folder.filename().empty() ? folder.parent_path().filename().string() : folder.filename().string()};
  if (!run.empty() && run.find('/') == std::string::npos) {
    if (const auto fitting = fitting_weights(tasks, run, data)) return {*fitting, kShippedName};
    const std::filesystem::path named = assets_folder() / "weights" / run;
    if (std::filesystem::exists(named / run_file::config)) {
      const std::string listed = shipped_name(tasks, named);  // kShippedName if they are the first for other data
      return {named, listed == kShippedName ? fmt::format("{} {}", kShippedName, run) : listed};
    }
  }
  fail_usage(
      "\"{}\" is neither a run folder (one that holds {}) nor a task with shipped weights; see "
      "\"pairs --batch tasks\"",
      printable(run, 300), run_file::config);
}

namespace {

// Whether stage 3 ended, and was not begun again, according to the log.
bool was_finished(const std::filesystem::path& run) {
  try {
    return std::filesystem::exists(run / run_file::events) &&
           read_progress(run / run_file::events).stage(Stage::finetune).done;
  } catch (const Error&) {
    return false;  // weights can be used without a log
  }
}

}  // namespace

LoadedRun load_run(const Tasks& tasks, const std::string& run, const std::string& data, const std::string& device) {
  LoadedRun loaded;
  const RunFolder found = find_run(tasks, run, data);
  loaded.folder = found.folder;
  loaded.name = found.name;
  loaded.config = read_run_toml(tasks, loaded.folder / run_file::config);
  if (!data.empty()) loaded.config.data = data;
  loaded.task = make_run_task(loaded.config, loaded.folder / run_file::config);
  const std::filesystem::path finished = loaded.folder / run_file::estimator,
                              first = loaded.folder / run_file::pretrained;
  loaded.finetuned = std::filesystem::exists(finished);
  PAIRS_CHECK(loaded.finetuned || std::filesystem::exists(first),
              "The run {} has no trained weights yet; continue it with \"pairs --batch run --resume {}\"", run, run);
  if (!loaded.finetuned && was_finished(loaded.folder))
    fail(
        "{} was trained to its end, and its {} is missing: put it back, or make it again with \"pairs --batch run "
        "--resume {}\"",
        loaded.folder.string(), run_file::estimator, run);
  check_settings(loaded.folder, loaded.finetuned ? finished : first, loaded.config);
  loaded.estimator = load_estimator(loaded.finetuned ? finished : first, loaded.task);
  loaded.estimator->to(choose_device(device));
  return loaded;
}

}  // namespace pairs
