#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace pairs {

// What is trained one after the other in a folder of runs, kept in RUNS/.queue so that windows, commands and the
// process that works share it without a server: a file an item; the items' order, written whole; a mark
// that it is paused, and one that it goes on without a window; and, of an item that failed, why. Whoever writes one of
// them replaces it, so that all are whole at any time: of two who move items at once the later one's order counts, and
// no item is lost.

enum class QueueKind { run, study };
enum class QueueState { waiting, working, failed };
const char* queue_state_name(QueueState state);

struct QueueItem {
  std::string id = {};  // of its file
  QueueKind kind = QueueKind::run;
  std::filesystem::path folder;      // of the run or study, absolute
  std::vector<double> seconds = {};  // expected: of each stage of a run, or of a study in one; empty: not known
  std::int64_t processes = 1;        // of a study, at once
  std::string data = {};             // folder of real data of a study; ""
  QueueState state = QueueState::waiting;
  std::string reason = {};  // why it failed, a sentence
  std::string called = {};  // what people call it (app/runs/run_about.h); "": as its folder
  std::string in_use = {};  // by whom a run that waits is trained outside the queue: "process 12"; "": nobody
  double since = 0;         // of the one at work: when that was begun or gone on with, in seconds since 1970
  std::string name() const { return folder.filename().string(); }
  std::string title() const { return called.empty() ? name() : called; }
  // Whether it can be begun now.
  bool ready() const { return state == QueueState::waiting && in_use.empty(); }
};

// The queue as its files tell it at one moment.
struct QueueView {
  std::vector<QueueItem> items;  // in order; the one at work first
  bool paused = false;
  bool working = false;                                              // some process works on it
  bool of_window = false;                                            // a window has started it
  bool held = false;                                                 // a window trains a run itself, which goes first
  pid_t process = 0;                                                 // which, where it is of this machine
  std::size_t left() const;                                          // items that have not failed
  const QueueItem* at_work() const;                                  // null: none
  const QueueItem* find(const std::filesystem::path& folder) const;  // however it is written; null: none
};

// The item of a folder, which is made absolute. Refuses, as a usage error, what is neither a run nor a study, what came
// with the program and a run that is finished.
QueueItem item_of(const std::filesystem::path& folder);

// Cheap to make; keeps nothing in memory. Everything throws Error where the disk refuses it.
class Queue {
 public:
  explicit Queue(std::filesystem::path runs);

  // An item whose file is damaged, or whose folder is gone, is one that failed.
  QueueView read() const;
  // Puts an item (item_of) at the end and returns its id. Refuses, as a usage error, what is in the queue already; one
  // that failed waits anew.
  std::string add(QueueItem item) const;
  // How long an item takes, once that is measured; nothing where it was removed meanwhile.
  void expect(const std::string& id, const std::vector<double>& seconds) const;
  void remove(const std::string& id) const;
  // To this place among those of read(), from 0; the last where there are fewer.
  void move(const std::string& id, std::size_t place) const;
  // Whether nothing more is begun, and what is begun is saved and left.
  void pause(bool paused) const;
  // A failed one waits again.
  void retry(const std::string& id) const;
  // Whether a process that a window started goes on once no window is open.
  void keep(bool kept) const;
  bool kept() const;

  const std::filesystem::path& runs() const { return runs_; }
  const std::filesystem::path& folder() const { return folder_; }

  // For the process that works on it.

  // Says which item it does, "" while it does none, and whether a window has started it.
  void tell_work(const std::string& id, bool of_window) const;
  void tell_end_of_work() const;
  // Marks an item, where it was not removed meanwhile.
  void fail(const std::string& id, const std::string& reason) const;
  // Where windows say that they are there (core/base/presence.h): who sees the end need not be told of it; and where
  // those that train a run themselves say so, for which whoever works on the queue waits.
  std::filesystem::path windows() const { return folder_ / "windows"; }
  std::filesystem::path windows_training() const { return folder_ / "training"; }
  // Takes away what processes that died have left in these.
  void tidy() const;
  std::filesystem::path log() const { return folder_ / "work.log"; }

 private:
  std::filesystem::path file(const std::string& id, const char* ending) const;
  void write_order(const std::vector<QueueItem>& items) const;

  std::filesystem::path runs_, folder_;
};

}  // namespace pairs
