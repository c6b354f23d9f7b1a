#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/model/hub/hub.h"
#include "app/model/train/training.h"
#include "app/queue/queue.h"
#include "app/queue/queue_progress.h"
#include "core/base/system/presence.h"
#include "core/base/threads/clock.h"
#include "core/base/threads/latest.h"

namespace pairs::model {

// The last known queue of the folder of runs. Immutable.
struct QueueShown {
  std::filesystem::path runs;
  QueueView view;
  std::vector<QueueProgress> progress;  // of each item
  QueueTime left = {};                  // until everything is done
  std::int64_t at = 0;                  // when it was read, in seconds since 1970
  // Equal for two states that look the same.
  std::string fingerprint() const;
};

// The queue of the folder of runs, read in the background, and the process that works on it. This class starts the
// process when something was added or resumed here; it ends with the window unless it is to be kept. A process left by
// an earlier start or run by a command is recognized and shown.
class RunQueue {
 public:
  explicit RunQueue(Hub& hub);
  // Stops the window's process, which saves its work, unless `keep` or another window is open.
  ~RunQueue();
  RunQueue(const RunQueue&) = delete;
  RunQueue& operator=(const RunQueue&) = delete;

  std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe");  // the program that works on it
  bool keep = false;  // "Keep training when the window is closed"

  // Takes over the last read, and starts a process if one is due. `training`: this window trains a run itself, which
  // has priority: nothing new starts, and current work is saved and waits. Returns whether something shown has changed.
  bool poll(bool training);
  // The last state taken by poll(); null before the first.
  std::shared_ptr<const QueueShown> shown() const { return known_; }
  // Whether the item in this folder is waiting or being trained.
  bool holds(const std::filesystem::path& folder) const;
  // Whether the item in this folder, a run or a study, is being trained right now.
  bool trains(const std::filesystem::path& folder) const;
  // A few words for the status bar while it is being worked on.
  std::string activity() const;
  // The queue in one line: "3 to go, expected end 14:35".
  std::string line() const;
  // Whether it is being worked on, or will be as soon as possible.
  bool going() const;

  // Makes the folder of a draft's run in the background and adds it. A message reports a failure, and a run with the
  // same settings and seed that is already in the queue.
  void add(const TrainingDrafts::Planned& draft);
  // Adds a run or a study; unknown needs are measured in the background.
  void add(QueueItem item);
  // Why nothing can be added now, as a sentence; "" if it can.
  std::string add_blocked() const;
  void move(const std::string& id, std::size_t place);
  void remove(const std::string& id);
  // Queues a failed item again and resumes the queue.
  void retry(const std::string& id);
  // Puts a run that this process has trained and saved first in the queue; a process works on it even after the window
  // is closed. `seconds`: expected time of each of its stages; empty: measured. Blocks.
  void hand_over(const std::filesystem::path& run, std::vector<double> seconds);
  // pause saves and stops the current work and starts nothing more; go_on resumes.
  void pause();
  void go_on();

  // Whether the first read is pending or something is being added.
  bool busy() const { return !seen_ || added_.waits(); }

 private:
  Queue queue() const;
  void act(const std::function<void(const Queue&)>& change);
  void look();
  bool take();
  void take_added();
  void report_windows(bool training);
  void ensure_worker(bool training);
  void report_end(const QueueShown& before, const QueueShown& now);

  Hub& hub_;
  bool due_ = true;        // a read is due
  bool seen_ = false;      // a read has finished
  bool training_ = false;  // this process trains a run, which has priority
  bool wanted_ = false;    // something was added or resumed here: a process must work on it
  Stopwatch since_look_, since_start_;
  int starts_ = 0;                            // since the last progress
  std::set<std::string> removed_;             // ids that the user removed
  std::size_t finished_ = 0;                  // items done since the queue was last empty
  std::optional<Presence> presence_, first_;  // that this window is open; that it trains a run itself
  std::optional<bool> kept_;                  // the last `keep` written to the queue
  std::filesystem::path present_in_;
  std::shared_ptr<const QueueShown> known_;
  Latest<QueueShown> looked_;
  Latest<std::string> added_;  // the name of the added item
};

}  // namespace pairs::model
