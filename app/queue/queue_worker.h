#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/queue/queue.h"
#include "core/base/child_process.h"
#include "core/base/clock.h"
#include "core/base/files.h"

namespace pairs {

// Does the items of a queue, each in a process of its own of the program, one after the other. One worker a queue.
class QueueWorker {
 public:
  enum class End { empty, paused, stopped };
  struct Outcome {
    End end = End::empty;
    std::size_t done = 0;
    std::vector<std::string> failed = {};  // names of items
    std::vector<std::string> in_use = {};  // of those that were passed over, since others train them
  };

  // Takes the queue: throws Error where another process works on it. `program`: what trains (`pairs`).
  // `of_window`: a window has started this process.
  QueueWorker(Queue queue, std::filesystem::path program, bool of_window = false);
  ~QueueWorker();
  QueueWorker(const QueueWorker&) = delete;
  QueueWorker& operator=(const QueueWorker&) = delete;

  // Until nothing waits that can be trained, the queue is paused, or `keep_going` says no: then what is begun is saved.
  // That is so, too, while a window trains a run itself, for which this waits, and where a window has started this
  // process, none is open any more and it is not to be kept. An item that is removed meanwhile is left; one that fails
  // is marked, and the next one is done; one that another process trains is passed over until that has ended. `tell`
  // hears a line an item.
  Outcome work(const std::function<bool()>& keep_going, const std::function<void(const std::string&)>& tell);

 private:
  // How an item's process ended: its exit code, or nothing where it was asked to leave.
  std::optional<int> run(const QueueItem& item, const std::vector<std::string>& words,
                         const std::function<bool()>& keep_going);
  // Waits while a window trains a run itself.
  void wait_for_windows(const std::function<bool()>& keep_going, const std::function<void(const std::string&)>& tell);
  // Whether the windows for which this works are gone.
  bool abandoned();
  std::string why_failed(int code) const;
  std::vector<std::string> command(const QueueItem& item) const;

  Queue queue_;
  std::filesystem::path program_;
  bool of_window_;
  bool seen_window_ = false;
  Stopwatch clock_;
  std::uintmax_t said_before_ = 0;  // bytes of the log before the process of the item began
  std::unique_ptr<FolderLock> lock_;
};

// Why a command of the program failed, a sentence, by its answer with --json, its exit code and what it said beside it.
std::string failure_of_answer(const std::string& answer, int code, const std::string& said = "");

// Starts a process of the program that works on the queue for a window, and goes on when that ends. `notify`: the
// desktop tells of the end where no window is open. Throws Error.
void start_queue_worker(const Queue& queue, const std::filesystem::path& program, bool notify);

}  // namespace pairs
