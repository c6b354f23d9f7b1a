#include "app/queue/queue_worker.h"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "app/studies/study_entry.h"
#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/text.h"

namespace pairs {
namespace {

namespace fs = std::filesystem;

constexpr int kLooks = 10;  // between two of which the queue is read: a tenth of a second each
constexpr std::uint64_t kMostAnswer = 64 << 20;
constexpr double kLockSeconds = 2;  // for which a look of another process at the lock may seem to hold it

// Takes the lock of a queue's folder, which is made. Throws Error.
std::unique_ptr<FolderLock> lock_queue(const Queue& queue) {
  fs::create_directories(queue.folder());
  for (int k = 0; k < static_cast<int>(10 * kLockSeconds); ++k) {
    try {
      return std::make_unique<FolderLock>(queue.folder());
    } catch (const Error&) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
  }
  PAIRS_CHECK(!is_locked(queue.folder()), "Another process works on the queue of {} already",
              printable(queue.runs().string(), 300));
  return std::make_unique<FolderLock>(queue.folder());
}

// "2 runs failed; the first, NAME: WHY" of a study's answer; "" of any other.
std::string failed_runs(const nlohmann::json& answer) {
  if (!answer.contains("failed") || !answer.contains("runs") || !answer["runs"].is_array()) return "";
  for (const nlohmann::json& run : answer["runs"])
    if (run.is_object() && run.contains("reason"))
      return fmt::format("{} failed; the first, {}: {}", counted(answer["failed"].get<std::size_t>(), "run"),
                         run.value("name", ""), run.value("reason", ""));
  return "";
}

}  // namespace

std::string failure_of_answer(const std::string& answer, int code) {
  try {
    const nlohmann::json document = parse_json(answer);
    if (document.is_object() && document.contains("error")) return document["error"].get<std::string>();
    if (document.is_object())
      if (std::string failed = failed_runs(document); !failed.empty()) return failed;
  } catch (const nlohmann::json::exception&) {
    // An answer of another form says nothing.
  }
  if (code > 128) return fmt::format("Its process was ended by signal {}", code - 128);
  return fmt::format("Its process ended with exit code {}; work.log in the queue's folder holds what it said", code);
}

QueueWorker::QueueWorker(Queue queue, fs::path program, bool of_window)
    : queue_(std::move(queue)), program_(std::move(program)), of_window_(of_window), lock_(lock_queue(queue_)) {
  queue_.tell_work("", of_window_);
}

QueueWorker::~QueueWorker() {
  try {
    queue_.tell_end_of_work();
  } catch (const std::exception&) {
    // Without the lock it counts for nothing.
  }
}

std::vector<std::string> QueueWorker::command(const QueueItem& item) const {
  std::vector<std::string> words = {program_.string(), "--batch"};
  if (item.kind == QueueKind::run) {
    words.insert(words.end(), {"run", "--resume", item.folder.string()});
  } else {
    words.insert(words.end(), {"study", file_of_study(item.folder).string(), "--out", item.folder.string(), "--jobs",
                               std::to_string(item.processes)});
    if (!item.data.empty()) words.insert(words.end(), {"--data", item.data});
  }
  words.emplace_back("--json");
  return words;
}

std::optional<int> QueueWorker::run(const QueueItem& item, const std::function<bool()>& keep_going) {
  const fs::path answer = queue_.folder() / "answer";
  fs::remove(answer);
  ChildProcess child(command(item), {answer, queue_.log()});
  bool asked = false;
  for (int look = 1; !child.ended(); ++look) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    bool leave = !keep_going();
    if (!leave && look % kLooks == 0) {
      const QueueView view = queue_.read();
      const QueueItem* now = view.find(item.folder);
      leave = view.paused || !now || now->id != item.id;
    }
    if (leave && !std::exchange(asked, true)) child.stop(SIGTERM);
  }
  // One that came to its end all the same has done its work.
  const int code = *child.ended();
  return asked && code != 0 ? std::nullopt : std::optional<int>(code);
}

QueueWorker::Outcome QueueWorker::work(const std::function<bool()>& keep_going,
                                       const std::function<void(const std::string&)>& tell) {
  Outcome outcome;
  for (;;) {
    queue_.tell_work("", of_window_);
    if (!keep_going()) return outcome.end = End::stopped, outcome;
    const QueueView view = queue_.read();
    if (view.paused) return outcome.end = End::paused, outcome;
    const auto next = std::find_if(view.items.begin(), view.items.end(),
                                   [](const QueueItem& item) { return item.state == QueueState::waiting; });
    if (next == view.items.end()) return outcome;
    queue_.tell_work(next->id, of_window_);
    tell(fmt::format("{} ({} left)", next->name(), view.left()));
    const std::optional<int> code = run(*next, keep_going);
    if (!code) continue;
    if (*code == 0) {
      ++outcome.done;
      queue_.remove(next->id);
      continue;
    }
    std::error_code error;
    const fs::path answer = queue_.folder() / "answer";
    const std::string reason =
        failure_of_answer(fs::exists(answer, error) ? read_file(answer, kMostAnswer) : "", *code);
    queue_.fail(next->id, reason);
    outcome.failed.push_back(next->name());
    tell(fmt::format("{} failed: {}", next->name(), reason));
  }
}

void start_queue_worker(const Queue& queue, const fs::path& program, bool notify) {
  fs::create_directories(queue.folder());
  std::vector<std::string> words = {program.string(),      "--batch",    "queue", "work", "--runs",
                                    queue.runs().string(), "--of-window"};
  if (notify) words.emplace_back("--notify");
  start_detached(std::move(words), queue.log());
}

}  // namespace pairs
