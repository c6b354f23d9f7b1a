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
#include "core/base/clock.h"
#include "core/base/latest.h"
#include "core/base/presence.h"

namespace pairs::model {

// The queue of the folder of runs as it was seen last. Immutable.
struct QueueShown {
  std::filesystem::path runs;
  QueueView view;
  std::vector<QueueProgress> progress;  // of each item
  QueueTime left = {};                  // until all is done
  std::int64_t at = 0;                  // when it was seen, in seconds since 1970
  // What people see of it: two that say the same look the same.
  std::string fingerprint() const;
};

// The queue of the folder of runs, looked at in the background, and the process that works on it, which this starts
// where something was put in or set going here, and which ends with the window unless it is to be kept. One that an
// earlier start left behind, or that a command works on, is found and shown.
class RunQueue {
 public:
  explicit RunQueue(Hub& hub);
  // Stops a window's process, unless `keep` or another window is open: it saves what is begun.
  ~RunQueue();
  RunQueue(const RunQueue&) = delete;
  RunQueue& operator=(const RunQueue&) = delete;

  std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe");  // what works on it
  bool keep = false;  // "Keep training when the window is closed"

  // Takes over what was seen, and starts a process where one is due. `training`: this window trains a run itself, which
  // goes first: nothing is begun meanwhile, and what is at work is saved and waits. True when something shown has
  // changed.
  bool poll(bool training);
  // The last look that poll() took; null before the first.
  std::shared_ptr<const QueueShown> shown() const { return known_; }
  // Whether what lies in the folder waits or is trained.
  bool holds(const std::filesystem::path& folder) const;
  // Whether it trains what lies in the folder at this moment: a run, or one of a study.
  bool trains(const std::filesystem::path& folder) const;
  // In a few words while something works on it, for the status bar.
  std::string activity() const;
  // The queue in a line: "3 to go, expected end 14:35".
  std::string line() const;
  // Whether something works on it, or will as soon as it can.
  bool going() const;

  // Makes the folder of a draft's run in the background and puts it in. What fails becomes a message, as does that a
  // run with the same settings and seed is in already.
  void add(const Training::Planned& draft);
  // A run at rest, or a study; what it needs is measured in the background where it is not known.
  void add(QueueItem item);
  // Why nothing can be added now, a sentence; "" when it can.
  std::string add_blocked() const;
  void move(const std::string& id, std::size_t place);
  void remove(const std::string& id);
  // One that failed waits again, and the queue goes on.
  void retry(const std::string& id);
  // A run that this process has trained and saved: the first in the queue from now on, on which a process works, also
  // once the window is closed. `seconds`: of each of its stages, as expected now; empty: they are measured. Waits.
  void hand_over(const std::filesystem::path& run, std::vector<double> seconds);
  // Saves and leaves what is begun, and begins nothing more; and the other way round.
  void pause();
  void go_on();

  // Whether the first look is not there yet, or something is being put in.
  bool busy() const { return !seen_ || added_.waits(); }

 private:
  Queue queue() const;
  void act(const std::function<void(const Queue&)>& change);
  void look();
  bool take();
  void take_added();
  void tell_windows(bool training);
  void ensure_worker(bool training);
  void tell_end(const QueueShown& before, const QueueShown& now);

  Hub& hub_;
  bool due_ = true;        // a look
  bool seen_ = false;      // one has ended
  bool training_ = false;  // a run is trained in this process, which goes first
  bool wanted_ = false;    // something was put in or set going here: a process is to work on it
  Stopwatch since_look_, since_start_;
  int starts_ = 0;                            // since something moved on
  std::set<std::string> removed_;             // ids that a person took out
  std::size_t finished_ = 0;                  // items done since the queue was last empty
  std::optional<Presence> presence_, first_;  // that this window is there, and that it trains a run itself
  std::optional<bool> kept_;                  // what the queue was told of `keep`
  std::filesystem::path present_in_;
  std::shared_ptr<const QueueShown> known_;
  Latest<QueueShown> looked_;
  Latest<std::string> added_;  // the name of what was put in
};

}  // namespace pairs::model
