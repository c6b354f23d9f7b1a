#include "app/model/train/run_queue.h"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <utility>

#include "app/queue/queue_end.h"
#include "app/queue/queue_worker.h"
#include "app/runs/new_run.h"
#include "app/runs/run_about.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/report/number_text.h"
#include "core/train/run/run.h"

namespace pairs::model {
namespace {

constexpr double kLookInterval = 1;   // seconds between two reads of a queue with items,
constexpr double kEmptyInterval = 3;  // and of an empty one
constexpr double kStartInterval = 5;  // between two starts of a process
constexpr int kMostStarts = 3;        // without progress

QueueShown look_at(const Catalog& tasks, const Queue& queue) {
  QueueShown shown;
  shown.runs = queue.runs();
  shown.view = queue.read();
  shown.at = std::time(nullptr);
  shown.progress = queue_progress(tasks, shown.view, static_cast<double>(shown.at));
  shown.left = time_left(shown.view, shown.progress);
  return shown;
}

bool waits(const QueueView& view) {
  return std::ranges::any_of(view.items, &QueueItem::ready);
}

std::vector<std::string> failed_names(const QueueView& view) {
  std::vector<std::string> names;
  for (const QueueItem& item : view.items)
    if (item.state == QueueState::failed) names.push_back(item.title());
  return names;
}

std::string title_of(const QueueItem& item) {
  const std::string name = item.kind == QueueKind::run ? read_about(item.folder).name : "";
  return name.empty() ? item.name() : name;
}

// Throws a usage error for a run already in the queue: one with the same settings and seed.
void refuse_twin(const Queue& queue, const RunConfig& config) {
  for (const QueueItem& item : queue.read().items) {
    if (item.kind != QueueKind::run || item.state == QueueState::failed) continue;
    std::string other;
    try {
      other = training_settings(read_run_toml(config.tasks, item.folder / run_file::config));
    } catch (const std::exception&) {
      continue;  // its trainer reports it
    }
    if (changed_setting(other, config, Stage::finetune, "").empty())
      fail_usage("{} is in the queue already, with the same settings and seed; change one of them", item.title());
  }
}

}  // namespace

std::string QueueShown::fingerprint() const {
  std::string text = fmt::format("{}\n{} {} {}\n{}\n", runs.string(), view.paused, view.working, view.process,
                                 queue_line(view, left, at));
  for (std::size_t k = 0; k < view.items.size(); ++k)
    text += fmt::format("{} {} {} {} {} {} {}\n", view.items[k].id, queue_state_name(view.items[k].state),
                        view.items[k].title(), view.items[k].reason, view.items[k].in_use, progress[k].text,
                        duration_text(progress[k].left));
  return text;
}

RunQueue::RunQueue(Hub& hub)
    : hub_(hub), looked_([this] { hub_.wake(); }), added_([this] { hub_.wake(); }, Late::keep) {}

RunQueue::~RunQueue() {
  if (!presence_) return;
  const Queue ours(present_in_);
  presence_.reset();
  if (keep || !processes_present(ours.windows()).empty()) return;
  const QueueView view = ours.read();
  if (view.of_window && view.process > 0) ::kill(view.process, SIGTERM);
}

Queue RunQueue::queue() const {
  return Queue(hub_.runs_folder);
}

void RunQueue::look() {
  const bool holds = known_ && !known_->view.items.empty();
  if (looked_.waits() || (!due_ && since_look_.seconds() < (holds ? kLookInterval : kEmptyInterval))) return;
  due_ = false;
  since_look_.restart();
  looked_.ask([tasks = hub_.tasks, queue = queue(), known = known_](const auto&) {
    auto shown = std::make_shared<const QueueShown>(look_at(tasks, queue));
    const bool same = known && known->fingerprint() == shown->fingerprint();
    return same ? nullptr : shown;
  });
}

// Counts finished items, and reports the end.
void RunQueue::report_end(const QueueShown& before, const QueueShown& now) {
  if (before.runs != now.runs) return;
  for (const QueueItem& item : before.view.items) {
    const bool there = std::ranges::any_of(now.view.items, [&](const QueueItem& other) { return other.id == item.id; });
    if (!there && item.state == QueueState::working && !removed_.contains(item.id)) ++finished_;
  }
  if (before.view.left() == 0 || now.view.left() > 0 || !before.view.working) return;
  const std::string text = queue_end_text(std::exchange(finished_, 0), failed_names(now.view));
  hub_.messages.info("queue", fmt::format("The queue is done: {}", text));
  hub_.notifier->report("The queue is done", text);
}

bool RunQueue::take() {
  const auto answer = looked_.take();
  if (!answer) return false;
  seen_ = true;
  if (!answer->value) {
    hub_.messages.warning("queue", fmt::format("The queue cannot be read: {}", answer->failure));
    return true;
  }
  const std::shared_ptr<const QueueShown> before = std::exchange(known_, answer->value);
  if (before) report_end(*before, *known_);
  if (!before || before->view.left() != known_->view.left()) starts_ = 0;
  return true;
}

// For a queue with items: registers that this window is open, whether the queue outlives it, and whether the window
// trains a run itself.
void RunQueue::report_windows(bool training) {
  if (!known_ || known_->runs != queue().runs()) return;
  if (present_in_ != known_->runs) {
    presence_.reset();
    first_.reset();
    kept_.reset();
  }
  const bool holds = !known_->view.items.empty() || known_->view.working;
  if (!training || !holds) first_.reset();
  if (!holds || (presence_ && kept_ == keep && training == first_.has_value())) return;
  present_in_ = known_->runs;
  act([&](const Queue& queue) {
    if (std::exchange(kept_, keep) != keep) queue.keep(keep);
    if (!presence_) {
      queue.tidy();
      presence_.emplace(queue.windows());
    }
    if (training && !first_) first_.emplace(queue.windows_training());
  });
}

void RunQueue::take_added() {
  const auto added = added_.take();
  if (!added) return;
  due_ = true;
  if (!added->value) return hub_.messages.error("queue", added->failure);
  wanted_ = true;
  hub_.messages.info("queue", fmt::format("{} is in the queue", *added->value));
}

void RunQueue::ensure_worker(bool training) {
  if (!wanted_ || training || !known_ || known_->runs != queue().runs()) return;
  if (known_->view.working || known_->view.paused || !waits(known_->view)) return;
  if (starts_ > 0 && since_start_.seconds() < kStartInterval) return;
  if (starts_ >= kMostStarts) {
    wanted_ = false;
    hub_.messages.error("queue", fmt::format("What works on the queue ends at once; {} holds its output",
                                             printable(queue().log().string(), 300)));
    return;
  }
  ++starts_;
  since_start_.restart();
  act([this](const Queue& queue) { start_queue_worker(queue, program, hub_.notifier->on); });
}

bool RunQueue::poll(bool training) {
  const bool turned = std::exchange(training_, training) != training || kept_ != keep;
  const bool changed = take();
  take_added();
  if (changed || turned) report_windows(training);
  ensure_worker(training);
  look();
  return changed;
}

bool RunQueue::holds(const std::filesystem::path& folder) const {
  const QueueItem* item = known_ ? known_->view.find(folder) : nullptr;
  return item && item->state != QueueState::failed;
}

bool RunQueue::trains(const std::filesystem::path& folder) const {
  const QueueItem* now = known_ ? known_->view.at_work() : nullptr;
  return now && (known_->view.find(folder) == now || known_->view.find(folder.parent_path()) == now);
}

bool RunQueue::going() const {
  if (!known_ || known_->view.paused) return false;
  return known_->view.working || (wanted_ && waits(known_->view));
}

std::string RunQueue::line() const {
  if (!known_) return "";
  const QueueView& view = known_->view;
  if (!view.paused && training_ && (view.working || going()))
    return fmt::format("{} to go, {}", view.left(),
                       view.at_work() ? "saving what is begun: the current run goes first" : "after the current run");
  if (view.working || !going()) return queue_line(view, known_->left, known_->at);
  return fmt::format("{} to go, beginning in a moment", view.left());
}

std::string RunQueue::activity() const {
  if (!known_ || !known_->view.working || known_->view.left() == 0) return "";
  return "Queue: " + line();
}

// A failure of the disk becomes a message.
void RunQueue::act(const std::function<void(const Queue&)>& change) {
  try {
    change(queue());
  } catch (const std::exception& error) {
    hub_.messages.error("queue", sentence(error));
  }
  due_ = true;
}

std::string RunQueue::add_blocked() const {
  return added_.waits() ? "Another one is being put into the queue" : "";
}

void RunQueue::add(const TrainingDrafts::Planned& draft) {
  added_.ask([draft, queue = queue()](const LatestWorker::Stale& stale) {
    refuse_twin(queue, *draft.config);
    create_run(*draft.config, draft.folder);
    name_new_run(draft.folder, *draft.config);
    QueueItem made = item_of(draft.folder);
    if (draft.needs) made.seconds.assign(draft.needs->seconds, draft.needs->seconds + kStages);
    const std::string id = queue.add(made);
    // What was put in stays there, though the window may be closed while this is measured.
    if (!draft.needs) {
      const ExpectedCost need = expected_cost(*draft.config, stale);
      queue.expect(id, stage_seconds(need));
    }
    return std::make_shared<const std::string>(title_of(made));
  });
}

void RunQueue::add(QueueItem item) {
  added_.ask([item, queue = queue(), tasks = hub_.tasks](const LatestWorker::Stale& stale) {
    const std::string id = queue.add(item);
    // What was put in stays there, though the window may be closed while this is measured.
    if (item.seconds.empty()) queue.expect(id, expected_seconds(tasks, item, stale));
    return std::make_shared<const std::string>(title_of(item));
  });
}

void RunQueue::move(const std::string& id, std::size_t place) {
  act([&](const Queue& queue) { queue.move(id, place); });
}

void RunQueue::remove(const std::string& id) {
  removed_.insert(id);
  act([&](const Queue& queue) { queue.remove(id); });
}

void RunQueue::retry(const std::string& id) {
  act([&](const Queue& queue) { queue.retry(id); });
  wanted_ = true;
}

void RunQueue::hand_over(const std::filesystem::path& run, std::vector<double> seconds) {
  first_.reset();
  act([&](const Queue& queue) {
    const QueueView before = queue.read();
    if (const QueueItem* found = before.find(run)) queue.remove(found->id);
    QueueItem item = item_of(run);
    item.seconds = seconds.empty() ? expected_seconds(hub_.tasks, item, {}) : std::move(seconds);
    queue.move(queue.add(std::move(item)), 0);
    queue.keep(true);
    queue.pause(false);
    if (!before.working) start_queue_worker(queue, program, hub_.notifier->on);
  });
}

void RunQueue::pause() {
  wanted_ = false;
  act([](const Queue& queue) { queue.pause(true); });
}

void RunQueue::go_on() {
  wanted_ = true;
  starts_ = 0;
  act([](const Queue& queue) { queue.pause(false); });
}

}  // namespace pairs::model
