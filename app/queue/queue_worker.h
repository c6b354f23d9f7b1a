#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/queue/queue.h"
#include "core/base/files/files.h"
#include "core/base/system/child_process.h"
#include "core/base/threads/clock.h"

namespace pairs {

// Trains the items of a queue one after the other, each in its own process of the program. One worker per queue.
class QueueWorker {
 public:
  enum class End { empty, paused, stopped };
  struct Outcome {
    End end = End::empty;
    std::size_t done = 0;
    std::vector<std::string> failed = {};  // names of items
    std::vector<std::string> in_use = {};  // names of items skipped because others train them
  };

  // Takes the queue: throws Error if another process works on it. `program`: trains (`pairs`). `of_window`: a window
  // has started this process.
  QueueWorker(Queue queue, std::filesystem::path program, bool of_window = false);
  ~QueueWorker();
  QueueWorker(const QueueWorker&) = delete;
  QueueWorker& operator=(const QueueWorker&) = delete;

  // Works until no trainable item waits, the queue is paused, or `keep_going` returns false: then the current work is
  // saved. The same happens while a window trains a run itself, for which this waits, and if a window has started this
  // process, none is open any more and the queue is not to be kept. A removed item is abandoned; a failed one is
  // marked, and the next one starts; one that another process trains is skipped until that has ended. `tell` receives
  // one line per item.
  Outcome work(const std::function<bool()>& keep_going, const std::function<void(const std::string&)>& report);

 private:
  // The exit code of an item's process, or none if it was asked to exit.
  std::optional<int> run(const QueueItem& item, const std::vector<std::string>& words,
                         const std::function<bool()>& keep_going);
  // Waits while a window trains a run itself.
  void wait_for_windows(const std::function<bool()>& keep_going, const std::function<void(const std::string&)>& report);
  // Whether all windows for which this works are closed.
  bool abandoned();
  std::string why_failed(int code) const;
  std::vector<std::string> command(const QueueItem& item) const;

  Queue queue_;
  std::filesystem::path program_;
  bool of_window_;
  bool seen_window_ = false;
  Stopwatch clock_;
  std::uintmax_t said_before_ = 0;  // size of the log before the item's process started
  std::unique_ptr<FolderLock> lock_;
};

// Why a command of the program failed, a sentence, from its output with --json, its exit code and its other output.
std::string failure_of_answer(const std::string& answer, int code, const std::string& said = "");

// Starts a process of the program that works on the queue for a window and survives it. `notify`: a desktop
// notification reports the end if no window is open. Throws Error.
void start_queue_worker(const Queue& queue, const std::filesystem::path& program, bool notify);

}  // namespace pairs
