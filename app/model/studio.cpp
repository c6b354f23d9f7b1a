#include "app/model/studio.h"

#include <ATen/Parallel.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "app/runs/places.h"
#include "core/base/gpu/devices.h"
#include "core/base/gpu/driver.h"
#include "core/base/system/crash_report.h"
#include "core/base/system/memory.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/base/threads/threads.h"
#include "core/train/run/run.h"
#include "core/train/run/shipped.h"
#include "tasks/registry.h"

namespace pairs::model {
namespace fs = std::filesystem;

Tab parse_tab(const std::string& name) {
  std::vector<std::string> names;
  for (int i = 0; i < tab_count; ++i) {
    names.emplace_back(kTabs[i].name);
    if (names.back() == name) return static_cast<Tab>(i);
  }
  const std::string near = nearest(name, names), last = names.back();
  names.pop_back();
  fail_usage("There is no tab {}{}; there are {} and {}", printable(name),
             near.empty() ? "" : fmt::format(" (did you mean {}?)", near), fmt::join(names, ", "), last);
}

Studio::Studio(Catalog tasks, Settings remembered, std::function<void()> wake)
    : settings(std::move(remembered)),
      hub{std::move(tasks),
          {},
          wake,
          settings.runs_folder.empty() ? default_runs_folder() : fs::path(settings.runs_folder),
          data_folder(settings.data_folder),
          settings.device,
          settings.threads} {
  try {
    device_ = choose_device(hub.device).is_cuda() ? "GPU" : "CPU";
  } catch (const Error& error) {
    hub.device = "auto";
    device_ = choose_device("auto").is_cuda() ? "GPU" : "CPU";
    hub.messages.warning("device", fmt::format("The device {} of the settings cannot be used, and {} is: {}; choose "
                                               "another under Device on the Settings page",
                                               settings.device, device_, error.what()));
  }
  // Without a driver, the machine has no usable GPU.
  if (const std::string reason = why_no_gpu(); !reason.empty() && cuda_driver().loaded && hub.device == "auto")
    hub.messages.warning("device", fmt::format("No GPU is used: {}; Device on the Settings page shows why", reason));
  if (settings.threads > usable_cores())
    hub.messages.warning("threads", fmt::format("The settings ask for {} threads, and {} are used: there are no more "
                                                "cores; Threads on the Settings page changes it",
                                                settings.threads, usable_cores()));
  if (settings.threads > 0) take_threads();
  for (const std::string& folder : settings.run_folders) {
    const std::string problem = library.folders.add(folder);
    if (!problem.empty()) hub.messages.warning("runs", problem);
  }
  try {
    tab_ = parse_tab(settings.tab);
  } catch (const Error&) {
    tab_ = Tab::posterior;
  }
  if (const std::string crash = crash_text(crash_folder()); !crash.empty()) {
    hub.messages.warning("window", fmt::format("Pairs Studio: {}; it is kept as crash-before.txt there", crash));
    file_crash(crash_folder());
  }
  board.restore(settings.table_columns, settings.table_sort, settings.table_folded);
  unfinished_ = settings.unfinished;
  queue.keep = settings.keep_training;
  for (const std::string& file : settings.own_tasks) library.own().open(file, false);
  const Settings start = settings;
  const std::string remembered_task = settings.task, remembered_run = settings.run;
  std::error_code error;
  if (!settings.run.empty() && fs::exists(fs::path(settings.run) / run_file::config, error))
    open_run(settings.run);
  else
    open_task(is_task(settings.task) ? settings.task : task_in_role(TaskRole::first));
  // A custom task is shown once it is open.
  if (!is_task(remembered_task) && run_ != remembered_run) {
    awaited_task_ = remembered_task;
    awaited_shown_ = start;
  } else if (task_ == remembered_task) {
    restore_shown(start);
  }
}

Studio::~Studio() = default;

bool Studio::is_task(const std::string& name) const {
  return library.task(name) != nullptr;
}

PosteriorPage& Studio::posterior_page() {
  const TaskEntry* task = library.task(task_);
  return task && task->views ? static_cast<PosteriorPage&>(viewer) : posterior;
}

void Studio::set_tab(Tab tab) {
  page.close();
  tab_ = tab;
  settings.tab = entry(tab).name;
  offer_comparison();
}

// The first view of a task's comparison includes its shipped weights.
void Studio::offer_comparison() {
  if (tab_ != Tab::compare || task_.empty() || !offered_.insert(task_).second) return;
  if (comparison.entries().empty() && has_shipped_weights(hub.tasks, task_)) comparison.toggle(task_);
}

void Studio::use_data_folder(const fs::path& folder) {
  settings.data_folder = folder.string();
  hub.data_folder = folder;
  hub.messages.info("data", folder.empty() ? "Sets are drawn without real data"
                                           : fmt::format("Sets are drawn from {}", printable(folder.string(), 300)));
  library.refresh();
  specimen.reload();
  posterior_page().reload();
  evaluation.reload();
}

void Studio::use_runs_folder(const fs::path& folder) {
  settings.runs_folder = folder.string();
  hub.runs_folder = folder.empty() ? default_runs_folder() : folder;
  hub.messages.info("runs", fmt::format("New runs go to {}", printable(hub.runs_folder.string(), 300)));
}

// Sets the threads here and in the background, where each thread applies them before its next job.
void Studio::take_threads() {
  const std::int64_t wanted = std::min<std::int64_t>(hub.threads, usable_cores());
  pairs::use_threads(wanted);
  set_background_threads(wanted);
}

std::string Studio::machine_blocked() const {
  const bool busy = training.session.active() || evaluation.work().running || comparison.busy();
  return busy ? "A training or an evaluation keeps what it began with; wait for its end, or stop it" : "";
}

std::string Studio::use_device(const std::string& name) {
  if (const std::string blocked = machine_blocked(); !blocked.empty()) return blocked;
  try {
    device_ = choose_device(name).is_cuda() ? "GPU" : "CPU";
  } catch (const Error& error) {
    return error.what();
  }
  settings.device = hub.device = name;
  posterior_page().reload();
  return "";
}

std::string Studio::use_threads(const std::string& number) {
  if (const std::string blocked = machine_blocked(); !blocked.empty()) return blocked;
  const int cores = usable_cores();
  int wanted = -1;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), wanted);
  if (error != std::errc() || end != number.data() + number.size() || wanted < 0 || wanted > cores)
    return fmt::format("{} is no number of threads; give 1 to {}, the cores there are, or 0 for all",
                       number.empty() ? "Nothing" : printable(number, 40), cores);
  settings.threads = wanted;
  hub.threads = wanted;
  take_threads();
  return "";
}

void Studio::follow_queue_settings() {
  settings.keep_training = queue.keep;
  hub.notifier->on = settings.notifications;
}

void Studio::take_ended_training() {
  const auto ended = training.session.take_ended();
  if (!ended) return;
  library.refresh();
  try {
    const RunStatus status = run_status(*ended);
    const bool failed = training.session.blocked(Action::dismiss).empty();
    if (failed) hub.notifier->report(fmt::format("{} failed", ended->filename().string()), training.problem());
    if (status.finished) hub.notifier->report(fmt::format("{} is trained", ended->filename().string()), "");
    if (!status.pretrained) return;
    const RunConfig config = read_run_toml(hub.tasks, *ended / run_file::config);
    const std::string run = ended->string();
    if (config.task == task_ && training.folder() == *ended) {
      const bool again = run == run_;
      show(config.task, run, true);
      if (again) posterior_page().reload();
    }
    if (status.finished && settings.unfinished == run) settings.unfinished.clear();
    if (status.finished)
      hub.messages.info(
          "train", fmt::format("{} is finished; its posterior is on the Posterior tab", ended->filename().string()));
  } catch (const std::exception& error) {
    hub.messages.error("train", sentence(error));
  }
}

// The run in training is open once it has a folder.
void Studio::follow_training() {
  const fs::path folder = training.session.folder();
  if (folder.empty() || folder == followed_ || !training.session.active()) return;
  followed_ = folder;
  library.refresh();
  library.watch(folder.string());
  settings.run = settings.unfinished = folder.string();
  unfinished_.clear();
}

void Studio::resume_run(const std::string& run) {
  open_run(run);
  set_tab(Tab::train);
  resuming_ = run;
}

void Studio::go_on_resuming() {
  if (resuming_.empty()) return;
  if (training.folder().string() != resuming_) return resuming_.clear();
  if (training.state() == Activity::loading) return;
  const std::string blocked = training.blocked(Action::start);
  if (blocked.empty())
    training.start();
  else
    hub.messages.warning("train", blocked);
  resuming_.clear();
}

const RunEntry* Studio::unfinished_run() const {
  const RunEntry* run = unfinished_.empty() ? nullptr : library.find(unfinished_);
  const bool offered =
      run && !run->glanced && !run->finished && !run->training && !run->deleted && run->problem.empty();
  return offered ? run : nullptr;
}

void Studio::forget_unfinished() {
  if (settings.unfinished == unfinished_) settings.unfinished.clear();
  unfinished_.clear();
}

// An open run that another process trains may get new weights.
void Studio::take_new_weights() {
  const RunEntry* run = library.find(run_);
  const int stage = !run ? 0 : run->finished ? 2 : run->pretrained ? 1 : 0;
  if (run_ != weighed_run_) {
    weighed_run_ = run_;
    weighed_stage_ = run ? stage : -1;
    return;
  }
  if (!run || stage == weighed_stage_) return;
  const bool more = weighed_stage_ >= 0 && stage > weighed_stage_;
  weighed_stage_ = stage;
  if (!more) return;
  if (evaluation.run() != run_)
    show(task_, run_, true);  // its first weights
  else
    posterior_page().reload();
}

// Returns memory to the system: after a training or an evaluation, the allocator keeps hundreds of megabytes.
void Studio::give_memory_back() {
  if (training.session.active() || evaluation.work().running || comparison.busy()) large_work_ = true;
  if (!large_work_ || busy()) return;
  large_work_ = false;
  release_freed_memory();
}

// The Compare tab is updated while it is in view.
void Studio::list_runs() {
  if (tab_ != Tab::compare || !board_stale_) return;
  board_stale_ = false;
  std::vector<ListedRun> listed;
  for (const RunEntry& run : library.runs())
    if (!run.deleted)
      listed.push_back({run.run, run.folder, run.name, run.note, run.task, run.preset, run.strategy, run.state(),
                        run.problem, run.tags, run.role, run.seed, run.created, run.archived, run.shipped, run.finished,
                        run.pretrained, run.signature, run.data_here});
  board.list(std::move(listed));
}

bool Studio::poll() {
  bool changed = library.poll();
  board_stale_ |= changed;
  list_runs();
  changed |= board.poll();
  follow_own_tasks();
  changed |= training.poll();
  changed |= studies.poll();
  follow_queue_settings();
  changed |= queue.poll(training.session.active());
  changed |= posterior.poll();
  changed |= viewer.poll();
  changed |= evaluation.poll();
  changed |= comparison.poll();
  changed |= specimen.poll();
  take_looked();
  go_on_resuming();
  follow_training();
  take_new_weights();
  take_ended_training();
  give_memory_back();
  remember_shown();
  changed |= session.poll();
  changed |= page.poll();
  for (const auto& folder : {data.take(), page.take_data_folder()})
    if (folder) {
      use_data_folder(*folder);
      changed = true;
    }
  if (const auto folder = page.take_runs_folder()) {
    use_runs_folder(*folder);
    changed = true;
  }
  return changed;
}

bool Studio::busy() const {
  return training.busy() || posterior.busy() || viewer.busy() || evaluation.busy() || comparison.busy() ||
         (tab_ == Tab::compare && board.busy()) || specimen.busy() || queue.busy() || library.busy() || data.busy() ||
         page.busy() || session.busy() || looked_.waits();
}

std::string Studio::activity() const {
  for (const std::string& text : {training.activity(), evaluation.activity(), comparison.activity(), board.activity(),
                                  posterior.activity(), viewer.activity(), queue.activity()})
    if (!text.empty()) return text;
  return "Ready";
}

std::string Studio::shown_run() const {
  return tab_ == Tab::train && !training.drafting() ? training.folder().string() : run_;
}

std::string Studio::shown_title() const {
  const TaskEntry* task = library.task(task_);
  const std::string title = task ? task->title : task_;
  if (tab_ == Tab::train && training.drafting()) return title + "  ·  new run";
  return shown_run().empty() ? title : fmt::format("{}  ·  {}", title, library.name_of(shown_run()));
}

std::string Studio::device_name() const {
  return device_;
}

std::int64_t Studio::threads() const {
  return at::get_num_threads();
}

}  // namespace pairs::model
