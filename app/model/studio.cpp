#include "app/model/studio.h"

#include <ATen/Parallel.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <climits>

#include "app/runs/places.h"
#include "core/base/crash_report.h"
#include "core/base/devices.h"
#include "core/base/driver.h"
#include "core/base/error.h"
#include "core/base/face.h"
#include "core/base/fields.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/base/threads.h"
#include "core/images/image_file.h"
#include "core/train/run.h"
#include "core/train/shipped.h"
#include "tasks/file_facts.h"
#include "tasks/parts/things.h"
#include "tasks/registry.h"
#include "tasks/view_folder.h"

namespace pairs::model {
namespace {

namespace fs = std::filesystem;

bool holds_images(const fs::path& folder) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (is_image_name(entry.path())) return true;
  return false;
}

struct ThingOfTask {
  std::string task, thing;
  bool is_it = false;
};

// What things tasks make sets of (a mesh, a molecule), and whether this is one of them.
std::vector<ThingOfTask> things_of_tasks(const TaskCatalogue& tasks, const std::string& text) {
  std::vector<ThingOfTask> all;
  for (const std::string& name : tasks.names()) {
    const std::shared_ptr<const Task> task = tasks.make(name);
    if (const Things* const known = face<Things>(*task)) all.push_back({name, known->thing(), known->is_thing(text)});
  }
  return all;
}

}  // namespace

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

Studio::Studio(Catalogue tasks, Settings remembered, std::function<void()> wake)
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
  // A machine without a driver has no GPU to speak of.
  if (const std::string reason = why_no_gpu(); !reason.empty() && cuda_driver().loaded && hub.device == "auto")
    hub.messages.warning("device", fmt::format("No GPU is used: {}; Device on the Settings page tells of it", reason));
  if (settings.threads > usable_cores())
    hub.messages.warning("threads", fmt::format("The settings ask for {} threads, and {} are used: there are no more "
                                                "cores; Threads on the Settings page changes it",
                                                settings.threads, usable_cores()));
  if (settings.threads > 0) take_threads();
  for (const std::string& folder : settings.run_folders) {
    const std::string problem = library.add_folder(folder);
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
  // A task of one's own is shown as soon as it is open.
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

// The first look at a task's comparison finds its shipped weights there.
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

// Here and in the background, of which each thread follows before its next job.
void Studio::take_threads() {
  const std::int64_t wanted = std::min<std::int64_t>(hub.threads, usable_cores());
  pairs::use_threads(wanted);
  set_background_threads(wanted);
}

std::string Studio::machine_blocked() const {
  const bool busy = training.active() || evaluation.work().running || comparison.busy();
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

// Each task keeps the runs that were compared last.
void Studio::turn_comparison(const std::string& task) {
  if (task_.empty() || task == task_) return;
  std::vector<std::string>& kept = compared_[task_];
  kept.clear();
  for (const ComparedRun& run : comparison.entries()) kept.push_back(run.run);
  comparison.clear();
  for (const std::string& run : compared_[task]) comparison.toggle(run);
}

// The run as the list knows it, where it is complete: no disk, which may be far away, need be asked while the window
// waits.
const RunEntry* Studio::complete_run(const std::string& run) const {
  for (const RunEntry& entry : library.runs())
    if (entry.run == run) return entry.complete() ? &entry : nullptr;
  return nullptr;
}

// What makes the run's task; of tasks of a person's own the file that is open, of no run and of a damaged one nothing.
TaskOptions Studio::options_of(const std::string& run) const {
  if (run.empty()) return {};
  try {
    const RunEntry* const listed = complete_run(run);
    const RunConfig config =
        listed != nullptr
            ? *listed->config
            : read_run_toml(hub.tasks, find_run(hub.tasks, run, hub.data_folder.string()).folder / run_file::config);
    if (config.task_file.empty()) return config.task_options();
  } catch (const std::exception&) {
    // Whoever opens the run says what is wrong with it.
  }
  return {};
}

void Studio::show(const std::string& task, const std::string& run) {
  turn_comparison(task);
  task_ = task;
  run_ = run;
  last_runs_[task] = run;
  settings.task = task;
  settings.run = run == task ? "" : run;
  specimen.show(task, options_of(run));
  // Of a run without weights there is nothing to show but its training.
  const bool weighted = run.empty() || run == task || complete_run(run) != nullptr || run_status(run).pretrained;
  const std::string weights = weighted ? run : "";
  PosteriorPage& shown = posterior_page();
  for (PosteriorPage* other : std::initializer_list<PosteriorPage*>{&posterior, &viewer})
    if (other != &shown) other->close();
  shown.open(weights);
  evaluation.show(weights);
  library.watch(run);
  offer_comparison();
}

void Studio::open_task(const std::string& task) {
  page.close();
  if (!is_task(task)) return hub.messages.error("task", fmt::format("There is no task {}", printable(task)));
  std::string run = has_shipped_weights(hub.tasks, task) ? task : "";
  // The run that was shown when the task was left, if it is still there.
  std::error_code error;
  if (const auto last = last_runs_.find(task);
      last != last_runs_.end() && last->second != task && fs::exists(fs::path(last->second) / run_file::config, error))
    run = last->second;
  if (run.empty())
    for (const RunEntry& entry : library.runs())
      if (entry.task == task && entry.finished && entry.problem.empty()) {
        run = entry.run;
        break;
      }
  show(task, run);
  training.open_task(task);
  if (training.drafting() && !run.empty() && run != task) training.open_run(run);
}

void Studio::open_run(const std::string& run) {
  page.close();
  if (is_task(run)) {
    last_runs_.erase(run);  // its shipped weights are what is asked for
    return open_task(run);
  }
  try {
    const RunEntry* const listed = complete_run(run);
    const fs::path found = listed != nullptr ? listed->folder : find_run(hub.tasks, run).folder;
    const RunConfig config = listed != nullptr ? *listed->config : read_run_toml(hub.tasks, found / run_file::config);
    const bool pretrained = listed != nullptr || run_status(found).pretrained;
    if (!config.task_copy.empty() && !is_task(config.task)) {
      awaited_run_ = {run, config.task};
      library.own().open(config.task_copy, true);
      if (task_.empty()) open_task(task_in_role(TaskRole::first));  // meanwhile
      return;
    }
    PAIRS_CHECK(is_task(config.task), "{} is a run of the task {}, which this program does not have", found.string(),
                printable(config.task));
    const fs::path folder = fs::absolute(found).lexically_normal();
    show(config.task, folder.string());
    training.open_task(config.task);  // what "New run" goes back to
    training.open_run(folder);
    if (!pretrained && (tab_ == Tab::posterior || tab_ == Tab::evaluate)) set_tab(Tab::train);
  } catch (const std::exception& error) {
    hub.messages.error("runs", sentence(error));
    settings.log_open = true;
  }
}

void Studio::open_path(const fs::path& path) {
  const std::string name = path.string();
  std::error_code error;
  if (!fs::exists(path, error) && is_task(name)) return open_task(name);
  if (is_session(path)) return session.open(path);
  if (fs::exists(path / run_file::config, error)) {
    const std::string problem = library.add_folder(path);
    if (!problem.empty()) hub.messages.warning("runs", problem);
    settings.remember_file(path);
    return open_run(fs::absolute(path).lexically_normal().string());
  }
  if (is_task_file(path)) {
    settings.remember_file(path);
    return library.own().open(path, true);
  }
  const bool images = fs::is_directory(path, error) && holds_images(path);
  if (const auto refused = posterior_page().open_data(path, images)) {
    if (!refused->empty()) {
      hub.messages.error("open", *refused);
      settings.log_open = true;
      return;
    }
    set_tab(Tab::posterior);
    if (fs::exists(path, error)) settings.remember_file(path);
    return;
  }
  const std::string ending = path.extension().string();
  std::string problem, others;
  if (fs::is_directory(path, error)) {
    problem = library.add_folder(path);
  } else {
    const bool table = ending == ".txt" || ending == ".tsv";  // may be anybody's, like a CSV file
    for (const ThingOfTask& known : things_of_tasks(*hub.tasks, name)) {
      if (known.is_it && !table && fs::exists(path, error)) {
        open_task(known.task);
        set_tab(Tab::posterior);
        settings.remember_file(path);
        return posterior.open_file(path);
      }
      others += ", a " + known.thing;
    }
    problem = fmt::format(
        "{} cannot be opened here; give a run folder, a session, a task.toml, a CSV or NPZ file of observations, a "
        "folder of "
        "images{}",
        printable(name, 300), others);
  }
  if (problem.empty()) return settings.remember_file(path);
  hub.messages.error("open", problem);
  settings.log_open = true;
}

void Studio::reopen_task() {
  for (const OwnTask& own : library.own().all())
    if (own.said.name == task_ && own.state != OwnState::opening) return library.own().open(own.file, true);
  specimen.reload();
}

// Those that are open are opened again at the next start. What waited for one is shown.
void Studio::follow_own_tasks() {
  std::vector<std::string> files;
  for (const OwnTask& task : library.own().all())
    if (!task.of_run()) files.push_back(task.file.string());
  if (files != settings.own_tasks) settings.own_tasks = std::move(files);
  if (!awaited_task_.empty() && is_task(awaited_task_)) {
    open_task(std::exchange(awaited_task_, ""));
    if (awaited_shown_) restore_shown(*awaited_shown_);
    awaited_shown_.reset();
  }
  if (!task_.empty() && !is_task(task_)) open_task(task_in_role(TaskRole::first));  // it was taken from the list
  if (library.own().take_failed()) {
    settings.log_open = true;  // it says why
    if (const TaskEntry* shown = library.task(task_); shown && shown->own) specimen.reload();
  }
  const OwnTask* task = library.own().take_awaited();
  if (!task) return;
  awaited_task_.clear();
  const std::string name = task->said.name;
  const auto awaited = std::exchange(awaited_run_, {});
  if (awaited.task == name) return open_run(awaited.run);
  // It may have been open with what its file said before.
  training.renew_draft(name);
  const bool shown = name == task_;
  open_task(name);
  if (shown) {
    specimen.reload();
    posterior_page().reload();
  } else if (run_.empty()) {
    set_tab(Tab::task);
  }
}

// The set, N and the runs beside it that an earlier start has shown of the task.
void Studio::restore_shown(const Settings& remembered) {
  std::error_code error;
  const auto there = [&](const std::string& run) {
    return run == task_ || fs::exists(fs::path(run) / run_file::config, error);
  };
  for (const std::string& run : remembered.compared)
    if (there(run) && !comparison.holds(run)) comparison.toggle(run);
  RememberedSet shown{
      remembered.shown_set, remembered.shown_n, remembered.shown_file, {}, remembered.shown_columns, {}};
  shown.many = remembered.shown_many && !shown.file.empty();
  shown.group = remembered.shown_group;
  std::uint64_t seed = 0;
  const std::string& random = remembered.shown_random;
  if (const auto [end, wrong] = std::from_chars(random.data(), random.data() + random.size(), seed);
      wrong == std::errc() && end == random.data() + random.size())
    shown.random = seed;
  for (const std::string& run : remembered.shown_beside)
    if (there(run)) shown.others.push_back(run);
  if (!(shown == RememberedSet())) posterior_page().restore(shown);
}

void Studio::remember_shown() {
  const auto whole = [](std::int64_t value) { return static_cast<int>(std::min<std::int64_t>(value, INT_MAX)); };
  RememberedSet shown = posterior_page().remembered();
  settings.shown_set = whole(shown.index);
  settings.shown_n = whole(shown.n);
  const std::string file = shown.file.string();
  settings.shown_file = file == printable(file, file.size()) ? file : "";  // the settings hold nothing but UTF-8
  settings.shown_random = shown.random ? std::to_string(*shown.random) : "";
  settings.shown_group = shown.group == printable(shown.group, shown.group.size()) ? shown.group : "";
  settings.shown_many = shown.many && settings.shown_group == shown.group;
  if (shown.many && !settings.shown_many) settings.shown_file.clear();
  settings.shown_columns.clear();
  if (std::ranges::all_of(shown.columns, [](const auto& name) { return name == printable(name, name.size()); }))
    settings.shown_columns = std::move(shown.columns);
  settings.shown_beside = std::move(shown.others);
  settings.compared.clear();
  for (const ComparedRun& run : comparison.entries()) settings.compared.push_back(run.run);
  settings.table_columns = board.choices().columns;
  settings.table_sort = board.sort_text();
  settings.table_folded = board.choices().fold;
}

void Studio::follow_queue_settings() {
  settings.keep_training = queue.keep;
  hub.notifier->on = settings.notifications;
}

void Studio::take_ended_training() {
  const auto ended = training.take_ended();
  if (!ended) return;
  library.refresh();
  try {
    const RunStatus status = run_status(*ended);
    const bool failed = training.session_blocked(Action::dismiss).empty();
    if (failed) hub.notifier->tell(fmt::format("{} failed", ended->filename().string()), training.problem());
    if (status.finished) hub.notifier->tell(fmt::format("{} is trained", ended->filename().string()), "");
    if (!status.pretrained) return;
    const RunConfig config = read_run_toml(hub.tasks, *ended / run_file::config);
    const std::string run = ended->string();
    if (config.task == task_ && training.folder() == *ended) {
      const bool again = run == run_;
      show(config.task, run);
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

// The run that is being trained from here is the one that is open, as soon as it has a folder.
void Studio::follow_training() {
  const fs::path folder = training.session_folder();
  if (folder.empty() || folder == followed_ || !training.active()) return;
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
  const bool offered = run && !run->finished && !run->training && !run->deleted && run->problem.empty();
  return offered ? run : nullptr;
}

void Studio::forget_unfinished() {
  if (settings.unfinished == unfinished_) settings.unfinished.clear();
  unfinished_.clear();
}

// A run that another process trains gets new weights while it is open.
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
    show(task_, run_);  // its first weights
  else
    posterior_page().reload();
}

// What a training or an evaluation has freed, the allocator keeps: hundreds of megabytes.
void Studio::give_memory_back() {
  if (training.active() || evaluation.work().running || comparison.busy()) large_work_ = true;
  if (!large_work_ || busy()) return;
  large_work_ = false;
  release_freed_memory();
}

// The Compare tab is told of the runs while it is in view.
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
  changed |= queue.poll(training.active());
  changed |= posterior.poll();
  changed |= viewer.poll();
  changed |= evaluation.poll();
  changed |= comparison.poll();
  changed |= specimen.poll();
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
         page.busy() || session.busy();
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
