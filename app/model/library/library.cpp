#include "app/model/library/library.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <thread>

#include "app/model/files/file_manager.h"
#include "app/model/library/run_scan.h"
#include "app/model/library/trash.h"
#include "app/runs/run_about.h"
#include "core/base/fields/face.h"
#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/base/threads/clock.h"
#include "core/base/threads/interruption.h"
#include "core/base/threads/latest_worker.h"
#include "core/base/threads/priority.h"
#include "core/report/number_text.h"
#include "core/train/cache/left_aggregates.h"
#include "tasks/scene_views.h"

namespace pairs::model {
namespace fs = std::filesystem;
namespace {

constexpr double kBetweenLooks = 2;  // seconds
constexpr double kLongestBetweenLooks = 15;

const char* stage_word(int stage) {
  return stage == 1 ? "pretrain" : stage == 2 ? "cache" : stage == 3 ? "finetune" : "likelihood";
}

}  // namespace

const char* badge_name(Badge badge) {
  constexpr const char* kNames[] = {"looking …", "untrained", "pretrained", "other data", "ready"};
  return kNames[static_cast<std::size_t>(badge)];
}

std::string RunEntry::live_state(const std::string& word, int stage, double share) {
  return std::isfinite(share) ? fmt::format("{} · {} {}", word, stage_word(stage + 1), percent_text(share)) : word;
}

std::string RunEntry::state() const {
  const std::string where = stage == 0 ? "" : fmt::format("{} {}", stage_word(stage), percent_text(share));
  if (deleted) return "deleted";
  if (!problem.empty()) return "unreadable";
  if (training) return where.empty() ? "training" : "training · " + where;
  if (finished) return "finished";
  if (glanced) return "being read";
  if (stage == 0) return pretrained ? "pretrained" : "not started";
  if (share < 1 && stage != 2) return "stopped · " + where;
  return cached ? "cached" : pretrained ? "pretrained" : "stopped · " + where;
}

// Scans the folders every two seconds, glances in between, and performs actions, on its own thread.
class Library::Scanner {
 public:
  explicit Scanner(Hub& hub)
      : tasks_(hub.tasks), wake_(hub.wake), thread_([this](std::stop_token token) { loop(token); }) {}

  void look_at(const fs::path& runs_folder, const std::vector<fs::path>& added, const fs::path& data) {
    const std::lock_guard lock(mutex_);
    runs_folder_ = runs_folder;
    added_ = added;
    data_ = data.string();
    ask();
  }
  void refresh() {
    const std::lock_guard lock(mutex_);
    ask();
  }
  // Actions run in order; an exception becomes a failure.
  void act(std::function<void()> action) {
    const std::lock_guard lock(mutex_);
    actions_.push_back(std::move(action));
    ask();
  }
  bool busy() const {
    const std::lock_guard lock(mutex_);
    return asked_ || answering_;
  }
  struct News {
    std::shared_ptr<const RunScan::Listing> listing;  // null: nothing new
    bool whole = false;                               // a scan has ended
    std::vector<std::string> failures;
  };
  News take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(news_, {});
  }

 private:
  void ask() {
    asked_ = true;
    changed_.notify_all();
  }

  void loop(std::stop_token token) {
    lower_priority(2);
    RunScan::Listing last;
    bool any = false;  // whether `last` is the last reported listing
    RunScan scan(
        tasks_, [&token] { return token.stop_requested(); },
        [this, &any](const RunScan::Listing& listing) {
          any = false;
          {
            const std::lock_guard lock(mutex_);
            news_.listing = std::make_shared<const RunScan::Listing>(listing);
          }
          wake_();
        });
    double pause = kBetweenLooks;
    Stopwatch since_look;
    for (;;) {
      std::deque<std::function<void()>> actions;
      RunScan::Places places;
      bool due = false;
      {
        std::unique_lock lock(mutex_);
        const double wait = std::clamp(pause - since_look.seconds(), 0.0, RunScan::kBetweenGlances);
        changed_.wait_for(lock, token, std::chrono::duration<double>(wait), [this] { return asked_; });
        if (token.stop_requested() && actions_.empty()) return;
        due = asked_ || since_look.seconds() >= pause;
        answering_ = std::exchange(asked_, false);
        actions.swap(actions_);
        places = {runs_folder_, added_, data_};
      }
      if (!due) {
        scan.glance(places);
        if (!scan.behind()) continue;
      }
      std::vector<std::string> failures;
      for (const auto& action : actions) {
        try {
          action();
        } catch (const std::exception& error) {
          failures.push_back(sentence(error));
        }
      }
      const Stopwatch watch;
      std::shared_ptr<const RunScan::Listing> listing;
      try {
        RunScan::Listing found = scan.look(places);
        if (!any || !(found == last)) listing = std::make_shared<const RunScan::Listing>(found);
        last = std::move(found);
        any = true;
      } catch (const Stopped&) {
        return;
      } catch (const std::exception& error) {
        failures.push_back(sentence(error));
      }
      // A slow disk is scanned less often; a busy machine also makes a scan slow.
      pause = scan.behind()
                  ? 0
                  : std::clamp(60 * (watch.seconds() - scan.reading_seconds()), kBetweenLooks, kLongestBetweenLooks);
      since_look.restart();
      bool reported = false;
      {
        const std::lock_guard lock(mutex_);
        reported = answering_ || listing || !failures.empty();
        answering_ = false;
        if (listing) news_.listing = listing;
        news_.whole |= any;
        for (std::string& failure : failures) news_.failures.push_back(std::move(failure));
      }
      if (reported) wake_();
    }
  }

  const Catalog tasks_;
  std::function<void()> wake_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  fs::path runs_folder_;
  std::vector<fs::path> added_;
  std::string data_;
  std::deque<std::function<void()>> actions_;
  bool asked_ = false, answering_ = false;
  News news_;
  std::jthread thread_;
};

namespace {

// Pictures of built-in tasks without data, which are the same for every window of a process; a molecule's takes a tenth
// of a second.
class KnownPictures {
 public:
  std::shared_ptr<const Thumbnail> find(const std::string& task) {
    const std::lock_guard lock(mutex_);
    const auto at = by_task_.find(task);
    return at == by_task_.end() ? nullptr : at->second;
  }
  void keep(const std::string& task, std::shared_ptr<const Thumbnail> picture) {
    const std::lock_guard lock(mutex_);
    by_task_[task] = std::move(picture);
  }

 private:
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const Thumbnail>> by_task_;
};

KnownPictures& known_pictures() {
  static KnownPictures known;
  return known;
}

}  // namespace

// Draws the tasks' pictures one after another.
class Library::Painter {
 public:
  struct Picture {
    std::string task;
    std::shared_ptr<const Thumbnail> thumbnail;
  };

  explicit Painter(Hub& hub) : tasks_(hub.tasks), wake_(hub.wake), worker_([](const std::string&) {}) {}

  // The subject of a picture; `own`: of a custom task.
  struct Wanted {
    std::string task;
    bool own = false;
  };

  void draw(std::vector<Wanted> tasks, const std::string& data) {
    worker_.request([this, wanted = std::move(tasks), data](const LatestWorker::Stale& stale) {
      lower_priority(6);  // the window's first frames have priority
      const Interruptible interruptible(stale);
      for (const auto& [task, own] : wanted) {
        if (stale()) throw Stopped();
        const bool lasting = !own && data.empty();
        std::shared_ptr<const Thumbnail> thumbnail = lasting ? known_pictures().find(task) : nullptr;
        const bool known = thumbnail != nullptr;
        // The Task tab reports problems of the data.
        for (const std::string& folder :
             data.empty() ? std::vector<std::string>{""} : std::vector{data, std::string()}) {
          if (known) break;
          try {
            thumbnail = std::make_shared<const Thumbnail>(draw_thumbnail(*tasks_->make(task, {folder})));
            break;
          } catch (const Stopped&) {
            throw;
          } catch (const Error&) {
          }
        }
        if (!thumbnail) continue;
        if (lasting && !known) known_pictures().keep(task, thumbnail);
        {
          const std::lock_guard lock(mutex_);
          pictures_.push_back({task, std::move(thumbnail)});
        }
        wake_();
      }
    });
  }
  bool busy() const { return worker_.busy(); }
  std::vector<Picture> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(pictures_, {});
  }

 private:
  const Catalog tasks_;
  std::function<void()> wake_;
  std::mutex mutex_;
  std::vector<Picture> pictures_;
  LatestWorker worker_;
};

Library::Library(Hub& hub) : hub_(hub) {
  for (const std::string& name : hub_.tasks->names()) {
    const auto task = hub_.tasks->make(name);
    TaskEntry& entry = tasks_.emplace_back();
    entry.name = name;
    entry.title = task->info().title;
    entry.summary = task->info().summary;
    entry.views = face<SceneViews>(*task) != nullptr;
  }
}

Library::~Library() = default;

bool Library::poll() {
  bool changed = false;
  if (!scanner_ || runs_folder_ != hub_.runs_folder || data_folder_ != hub_.data_folder) {
    if (!scanner_) scanner_ = std::make_unique<Scanner>(hub_);
    runs_folder_ = hub_.runs_folder;
    scanner_->look_at(runs_folder_, folders.added(), hub_.data_folder);
  }
  if (own_.poll()) {
    list_own();
    set_badges();
    changed = true;
  }
  if (!painter_ || data_folder_ != hub_.data_folder) {
    if (!painter_) painter_ = std::make_unique<Painter>(hub_);
    data_folder_ = hub_.data_folder;
    paint(true);
  }
  for (Painter::Picture& picture : painter_->take())
    for (TaskEntry& task : tasks_)
      if (task.name == picture.task) {
        task.thumbnail = std::move(picture.thumbnail);
        task.thumbnail_version = ++pictures_;
        changed = true;
      }
  Scanner::News news = scanner_->take();
  for (std::string& failure : news.failures) {
    hub_.messages.error("runs", failure);
    problem_ = std::move(failure);
    changed = true;
  }
  if (news.listing) {
    const RunEntry* before = find(watched_);
    RunEntry gone = before ? *before : RunEntry();
    for (const RunEntry& run : news.listing->runs)
      if (listed_ && !find(run.run)) spdlog::debug("{} is listed", run.name);
    runs_ = news.listing->runs;
    take_shades();
    folder_problem_ = news.listing->problem;
    listed_ |= news.whole;
    if (!gone.run.empty() && !find(gone.run)) {
      gone.deleted = true;
      gone.training = false;
      runs_.insert(runs_.begin(), std::move(gone));
    }
    set_badges();
    report_crashes();
    changed = true;
  }
  return changed;
}

// Reports each crash once.
void Library::report_crashes() {
  for (const RunEntry& run : runs_)
    if (!run.crash.empty() && !run.training && reported_crashes_.insert(run.run).second)
      hub_.messages.warning(
          "runs",
          fmt::format("{}: {}; open the run and resume it: it goes on from its last checkpoint", run.name, run.crash));
}

bool Library::busy() const {
  return !scanner_ || !listed_ || scanner_->busy() || painter_->busy() || own_.busy();
}

// Lists the usable custom tasks after the built-in ones.
void Library::list_own() {
  std::vector<TaskEntry> listed;
  for (const OwnTask& task : own_.all()) {
    const TaskEntry* const before = this->task(task.said.name);
    // It stays while it is reread, and if that fails: then its display gives the reason.
    const bool again = task.state != OwnState::asks && !task.said.name.empty() && before && before->own;
    if (task.state != OwnState::ready && !again) continue;
    TaskEntry entry;
    if (before) entry = *before;
    entry.name = task.said.name;
    entry.title = task.said.title;
    entry.summary = task.said.summary;
    entry.own = true;
    listed.push_back(std::move(entry));
  }
  std::erase_if(tasks_, [](const TaskEntry& entry) { return entry.own; });
  for (TaskEntry& entry : listed)
    if (!task(entry.name)) tasks_.push_back(std::move(entry));
  paint(false);
}

// Draws pictures of all tasks, or of those without one.
void Library::paint(bool all) {
  if (!painter_) return;
  std::vector<Painter::Wanted> wanted;
  for (const TaskEntry& task : tasks_)
    if (all || !task.thumbnail) wanted.push_back({task.name, task.own});
  if (!wanted.empty()) painter_->draw(std::move(wanted), data_folder_.string());
}

void Library::refresh() {
  if (scanner_) scanner_->refresh();
}

const TaskEntry* Library::task(std::string_view name) const {
  const auto at = std::find_if(tasks_.begin(), tasks_.end(), [&](const TaskEntry& t) { return t.name == name; });
  return at == tasks_.end() ? nullptr : &*at;
}

const RunEntry* Library::find(const std::string& run) const {
  if (run.empty()) return nullptr;
  const auto at = std::find_if(runs_.begin(), runs_.end(), [&](const RunEntry& r) { return r.run == run; });
  return at == runs_.end() ? nullptr : &*at;
}

std::string Library::name_of(const std::string& run) const {
  const RunEntry* entry = find(run);
  return entry ? entry->name : std::filesystem::path(run).filename().string();
}

void Library::dismiss_problem() {
  (problem_.empty() ? folder_problem_ : problem_).clear();
}

void Library::watch(const std::string& run) {
  if (run == watched_) return;
  watched_ = run;
  set_badges();
  std::erase_if(runs_, [&](const RunEntry& entry) { return entry.deleted && entry.run != run; });
}

std::string Library::blocked(const RunEntry& run, RunAction action) const {
  if (run.deleted) return "The folder of this run is missing";
  const bool changes = action == RunAction::rename || action == RunAction::note || action == RunAction::tag ||
                       action == RunAction::archive || action == RunAction::remove;
  if (changes && run.shipped) return "These weights came with the program and stay as they are";
  const bool drops = action == RunAction::drop_aggregates;
  if (drops && run.shipped) return "These weights came without them";
  if (drops && run.aggregates == 0) return "The run keeps none";
  if ((drops || action == RunAction::remove) && run.training) return "The run is being trained; stop it first";
  if (action != RunAction::resume && action != RunAction::open) return "";
  if (!run.problem.empty()) return run.problem;
  if (action == RunAction::open) return "";
  if (run.finished) return "The run is finished";
  if (run.training) return "The run is being trained already";
  return "";
}

void Library::rename(const std::string& run, const std::string& name) {
  const RunEntry* entry = find(run);
  if (!entry || !scanner_ || !blocked(*entry, RunAction::rename).empty()) return;
  scanner_->act([folder = entry->folder, name = tidy_text(name, false)] {
    change_about(folder, [&](RunAbout& about) { about.name = name == folder.filename().string() ? "" : name; });
  });
}

void Library::annotate(const std::string& run, const std::string& note) {
  const RunEntry* entry = find(run);
  if (!entry || !scanner_ || !blocked(*entry, RunAction::note).empty()) return;
  scanner_->act([folder = entry->folder, note = tidy_text(note, true)] {
    change_about(folder, [&](RunAbout& about) { about.note = note; });
  });
}

// The runs that permit this action. The reason why another does not becomes the problem.
std::vector<const RunEntry*> Library::allowed(const std::vector<std::string>& runs, RunAction action) {
  std::vector<const RunEntry*> all;
  for (const std::string& run : runs) {
    const RunEntry* entry = scanner_ ? find(run) : nullptr;
    if (!entry) continue;
    const std::string why = blocked(*entry, action);
    if (why.empty())
      all.push_back(entry);
    else if (problem_.empty())
      problem_ = runs.size() == 1 ? why : fmt::format("{}: {}", entry->name, why);
  }
  return all;
}

void Library::tag(const std::vector<std::string>& runs, const std::vector<std::string>& add,
                  const std::vector<std::string>& remove) {
  for (const RunEntry* entry : allowed(runs, RunAction::tag))
    scanner_->act([folder = entry->folder, add, remove] {
      change_about(folder, [&](RunAbout& about) { change_tags(about, add, remove); });
    });
}

void Library::archive(const std::vector<std::string>& runs, bool archived) {
  const auto set = [](const fs::path& folder, bool value) {
    change_about(folder, [&](RunAbout& about) { about.archived = value; });
  };
  std::vector<fs::path> folders;
  for (const RunEntry* entry : allowed(runs, RunAction::archive)) {
    if (entry->archived == archived) continue;
    folders.push_back(entry->folder);
    scanner_->act([set, folder = entry->folder, archived] { set(folder, archived); });
  }
  if (folders.empty()) return;
  undoable_ = fmt::format("{} {}", counted(folders.size(), "run"), archived ? "archived" : "listed again");
  undo_ = [set, folders, archived] {
    for (const fs::path& folder : folders) set(folder, !archived);
  };
}

void Library::remove(const std::vector<std::string>& runs) {
  using Moved = std::vector<std::pair<fs::path, fs::path>>;  // the current and the former place
  const auto moved = std::make_shared<Moved>();              // belongs to the scanner's thread
  std::size_t count = 0;
  for (const RunEntry* entry : allowed(runs, RunAction::remove)) {
    ++count;
    hub_.messages.info("runs", fmt::format("Moving {} to the trash", entry->folder.string()));
    scanner_->act([folder = entry->folder, moved] {
      const FolderLock lock(folder);  // throws if a process trains it
      moved->emplace_back(move_to_trash(folder), folder);
    });
  }
  if (count == 0) return;
  undoable_ = fmt::format("{} moved to the trash", counted(count, "run"));
  undo_ = [moved] {
    std::string failures;  // a failure to restore one does not affect the others
    for (const auto& [place, folder] : *moved) try {
        restore_from_trash(place, folder);
      } catch (const Error& error) {
        failures += (failures.empty() ? "" : "; ") + std::string(error.what());
      }
    PAIRS_CHECK(failures.empty(), "{}", failures);
  };
}

void Library::undo() {
  if (undoable_.empty() || !scanner_) return;
  hub_.messages.info("runs", fmt::format("Taken back: {}", undoable_));
  undoable_.clear();
  scanner_->act(std::exchange(undo_, {}));
}

void Library::drop_aggregates(const std::string& run) {
  const RunEntry* entry = find(run);
  if (!entry || !scanner_ || !blocked(*entry, RunAction::drop_aggregates).empty()) return;
  hub_.messages.info("runs", fmt::format("Removing {} of aggregates of {}", byte_text(entry->aggregates), entry->name));
  scanner_->act([folder = entry->folder] { pairs::drop_aggregates(folder); });
}

void Library::reveal(const std::string& run) {
  const RunEntry* entry = find(run);
  if (!entry || !scanner_ || !blocked(*entry, RunAction::reveal).empty()) return;
  scanner_->act([folder = entry->folder] { show_folder(folder); });
}

void Library::reveal_file(const fs::path& file) {
  if (scanner_) scanner_->act([folder = file.parent_path()] { show_folder(folder); });
}

std::string RunFolders::add(const fs::path& wanted) {
  std::error_code error;
  fs::path folder = fs::absolute(wanted, error).lexically_normal();
  if (!folder.has_filename()) folder = folder.parent_path();
  const std::string shown = printable(folder.string(), 300);
  if (wanted.empty() || !fs::exists(folder, error)) return fmt::format("There is no folder {}; check the path", shown);
  if (!fs::is_directory(folder, error)) return fmt::format("{} is a file; name the folder of a run", shown);
  bool any = holds_run(folder);
  for (fs::directory_iterator at(folder, error), end; !any && !error && at != end; at.increment(error))
    any = holds_run(at->path());
  if (error) return fmt::format("{} cannot be read: {}", shown, error.message());
  if (!any) return fmt::format("{} holds no run: a run folder has a run.toml in it", shown);
  if (std::find(added_.begin(), added_.end(), folder) == added_.end()) added_.push_back(folder);
  if (library_.scanner_) library_.scanner_->look_at(library_.runs_folder_, added_, library_.hub_.data_folder);
  return "";
}

void RunFolders::remove(const fs::path& folder) {
  if (std::erase(added_, folder) > 0 && library_.scanner_)
    library_.scanner_->look_at(library_.runs_folder_, added_, library_.hub_.data_folder);
}

RunFolders::Extent RunFolders::extent_of(const fs::path& folder) const {
  Extent extent;
  std::error_code error;
  const fs::path whole = fs::absolute(folder, error).lexically_normal();
  for (const RunEntry& run : library_.runs_) {
    if (run.shipped || run.deleted) continue;
    const fs::path within = run.folder.lexically_relative(whole);
    if (within.empty() || *within.begin() == "..") continue;
    ++extent.runs;
    extent.bytes += run.bytes;
  }
  return extent;
}

std::string Library::batch_command(const RunEntry& run) {
  if (run.shipped)
    return "pairs --batch evaluate " + shell_word(run.run == run.task ? run.task : run.folder.filename().string());
  return (run.finished ? "pairs --batch evaluate " : "pairs --batch run --resume ") + shell_word(run.folder.string());
}

void Library::take_shades() {
  std::vector<RunShades::Run> listed;
  for (const RunEntry& run : runs_)
    if (!run.strategy.empty())
      listed.push_back({run.run, run.task, run.role, run.shipped, run.created, run.folder.filename().string()});
  hub_.run_shades->list(std::move(listed));
  for (RunEntry& run : runs_) run.role = shaded(run.role, hub_.run_shades->of(run.run));
}

void Library::set_badges() {
  for (TaskEntry& task : tasks_) {
    task.badge = listed_ ? Badge::untrained : Badge::unknown;
    for (const RunEntry& run : runs_)
      if (run.task == task.name && run.problem.empty() && !run.deleted)
        task.badge = std::max(task.badge, run.finished && run.other_data() ? Badge::other_data
                                          : run.finished                   ? Badge::ready
                                          : run.pretrained                 ? Badge::pretrained
                                                                           : Badge::untrained);
    if (const RunEntry* open = find(watched_); open && open->task == task.name && open->other_data())
      task.badge = Badge::other_data;
  }
}

}  // namespace pairs::model
