#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace pairs {

// The queue of a folder of runs, which are trained one after the other. Windows, commands and the working process share
// it through RUNS/.queue without a server: one file per item; the order of the items; a mark that it is paused, and one
// that it continues without a window; and the reason for a failed item. Files are always replaced as a whole, so that
// all are complete at any time: of two concurrent moves the later order counts, and no item is lost.

enum class QueueKind { run, study };
enum class QueueState { waiting, working, failed };
const char* queue_state_name(QueueState state);

struct QueueItem {
  std::string id = {};  // name of its file
  QueueKind kind = QueueKind::run;
  std::filesystem::path folder;      // of the run or study, absolute
  std::vector<double> seconds = {};  // expected: for each stage of a run, or one for a study; empty: unknown
  std::int64_t processes = 1;        // for a study: number in parallel
  std::string data = {};             // folder of real data of a study; ""
  QueueState state = QueueState::waiting;
  std::string reason = {};  // why it failed, a sentence
  std::string called = {};  // display name (app/runs/run_about.h); "": the folder's name
  std::string in_use = {};  // who trains a waiting run outside the queue: "process 12"; "": nobody
  double since = 0;         // of the current item: when it was started or resumed, in seconds since 1970
  std::string name() const { return folder.filename().string(); }
  std::string title() const { return called.empty() ? name() : called; }
  // Whether it can be started now.
  bool ready() const { return state == QueueState::waiting && in_use.empty(); }
};

// A snapshot of the queue's files.
struct QueueView {
  std::vector<QueueItem> items;  // in order, the current one first
  bool paused = false;
  bool working = false;                                              // some process works on it
  bool of_window = false;                                            // a window has started it
  bool held = false;                                                 // a window trains a run itself, which has priority
  pid_t process = 0;                                                 // its number, if it is on this machine
  std::size_t left() const;                                          // items that have not failed
  const QueueItem* at_work() const;                                  // null: none
  const QueueItem* find(const std::filesystem::path& folder) const;  // in any spelling; null: none
};

// The item for a folder, whose path becomes absolute. Throws a usage error for a folder that is neither a run nor a
// study, that came with the program, or whose run is finished.
QueueItem item_of(const std::filesystem::path& folder);

// The queue on disk. Cheap to construct, since it keeps nothing in memory. All members throw Error if the disk fails.
class Queue {
 public:
  explicit Queue(std::filesystem::path runs);

  // Reads the queue. An item with a damaged file or a missing folder counts as failed.
  QueueView read() const;
  // Appends an item (item_of) and returns its id. Throws a usage error if it is already in the queue; a failed one is
  // queued again.
  std::string add(QueueItem item) const;
  // Stores the expected time of an item once it is measured; no effect if the item was removed.
  void expect(const std::string& id, const std::vector<double>& seconds) const;
  void remove(const std::string& id) const;
  // Moves an item to this place among those of read(), from 0, or to the end.
  void move(const std::string& id, std::size_t place) const;
  // Sets whether the queue is paused: then nothing new starts, and current work is saved and stopped.
  void pause(bool paused) const;
  // Queues a failed item again.
  void retry(const std::string& id) const;
  // Sets whether a process started by a window continues once no window is open.
  void keep(bool kept) const;
  bool kept() const;

  const std::filesystem::path& runs() const { return runs_; }
  const std::filesystem::path& folder() const { return folder_; }

  // For the working process.

  // States its current item, "" for none, and whether a window has started it.
  void report_work(const std::string& id, bool of_window) const;
  void report_end_of_work() const;
  // Marks an item as failed unless it was removed.
  void fail(const std::string& id, const std::string& reason) const;
  // The folder in which open windows register (core/base/system/presence.h), which then report the end; and that in
  // which windows register that train a run themselves, for which the worker waits.
  std::filesystem::path windows() const { return folder_ / "windows"; }
  std::filesystem::path windows_training() const { return folder_ / "training"; }
  // Removes what dead processes have left in these folders.
  void tidy() const;
  std::filesystem::path log() const { return folder_ / "work.log"; }

 private:
  std::filesystem::path file(const std::string& id, const char* ending) const;
  void write_order(const std::vector<QueueItem>& items) const;

  std::filesystem::path runs_, folder_;
};

}  // namespace pairs
