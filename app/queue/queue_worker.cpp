#include "app/queue/queue_worker.h"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <thread>
#include <utility>

#include "app/studies/study_entry.h"
#include "core/base/system/presence.h"
#include "core/base/text/error.h"
#include "core/base/text/json.h"
#include "core/base/text/text.h"

namespace pairs {
namespace {

namespace fs = std::filesystem;

constexpr int kLooks = 10;  // waits of a tenth of a second between two reads of the queue
constexpr std::uint64_t kMostAnswer = 64 << 20;
constexpr std::uint64_t kMostSaid = 16 << 10;  // bytes read at the end of the log
constexpr std::size_t kLongestLine = 300;
constexpr double kWindowGrace = 20;  // seconds for the window that started this process to register
constexpr double kLockSeconds = 2;   // during which another process's check may seem to hold the lock

// Takes the lock of a queue's folder, which is created if needed. Throws Error.
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

// "2 runs failed; the first, NAME: WHY" from a study's result; "" for others.
std::string failed_runs(const nlohmann::json& answer) {
  if (!answer.contains("failed") || !answer.contains("runs") || !answer["runs"].is_array()) return "";
  for (const nlohmann::json& run : answer["runs"])
    if (run.is_object() && run.contains("reason"))
      return fmt::format("{} failed; the first, {}: {}", counted(answer["failed"].get<std::size_t>(), "run"),
                         run.value("name", ""), run.value("reason", ""));
  return "";
}

// The last non-empty line of a text; "" if there is none.
std::string last_line(const std::string& text) {
  const std::size_t last = text.find_last_not_of(" \t\r\n");
  if (last == text.npos) return "";
  const std::size_t before = text.find_last_of("\r\n", last);
  const std::size_t first = before == text.npos ? 0 : before + 1;
  return printable(text.substr(first, last + 1 - first), kLongestLine);
}

// The text of a file after so many bytes, at most the last kMostSaid bytes of it.
std::string end_of_file(const fs::path& file, std::uintmax_t from) {
  std::ifstream in(file, std::ios::binary);
  in.seekg(0, std::ios::end);
  const std::streamoff size = in.tellg();
  const std::streamoff first = std::max(static_cast<std::streamoff>(from), size - std::streamoff{kMostSaid});
  if (!in || size <= first) return "";
  std::string text(static_cast<std::size_t>(size - first), '\0');
  in.seekg(first);
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  return text;
}

}  // namespace

std::string failure_of_answer(const std::string& answer, int code, const std::string& said) {
  try {
    const nlohmann::json document = parse_json(answer);
    if (document.is_object() && document.contains("error")) return document["error"].get<std::string>();
    if (document.is_object())
      if (std::string failed = failed_runs(document); !failed.empty()) return failed;
  } catch (const nlohmann::json::exception&) {
    // Ignores a result of another form.
  }
  if (code > 128) return fmt::format("Its process was ended by signal {}", code - 128);
  const std::string last = last_line(said);
  return fmt::format("Its process ended with exit code {}{}; work.log in the queue's folder holds its output", code,
                     last.empty() ? "" : fmt::format(" and wrote last: \"{}\"", last));
}

QueueWorker::QueueWorker(Queue queue, fs::path program, bool of_window)
    : queue_(std::move(queue)), program_(std::move(program)), of_window_(of_window), lock_(lock_queue(queue_)) {
  queue_.tidy();
  queue_.report_work("", of_window_);
}

QueueWorker::~QueueWorker() {
  try {
    queue_.report_end_of_work();
  } catch (const std::exception&) {
    // It has no effect without the lock.
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

std::optional<int> QueueWorker::run(const QueueItem& item, const std::vector<std::string>& words,
                                    const std::function<bool()>& keep_going) {
  const fs::path answer = queue_.folder() / "answer";
  fs::remove(answer);
  std::error_code error;
  const std::uintmax_t said = fs::file_size(queue_.log(), error);
  said_before_ = error ? 0 : said;
  ChildProcess child(words, {answer, queue_.log()});
  bool asked = false;
  for (int look = 1; !child.ended(); ++look) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    bool leave = !keep_going();
    if (!leave && look % kLooks == 0) {
      const QueueView view = queue_.read();
      const QueueItem* now = view.find(item.folder);
      leave = view.paused || view.held || !now || now->id != item.id || abandoned();
    }
    if (leave && !std::exchange(asked, true)) child.stop(SIGTERM);
  }
  // A process that finished nevertheless has done its work.
  const int code = *child.ended();
  return asked && code != 0 ? std::nullopt : std::optional<int>(code);
}

bool QueueWorker::abandoned() {
  if (!of_window_ || queue_.kept()) return false;
  const bool open = !processes_present(queue_.windows()).empty();
  seen_window_ |= open;
  return !open && (seen_window_ || clock_.seconds() > kWindowGrace);
}

void QueueWorker::wait_for_windows(const std::function<bool()>& keep_going,
                                   const std::function<void(const std::string&)>& report) {
  for (bool reported = false; keep_going() && !abandoned();) {
    const QueueView view = queue_.read();
    if (!view.held || view.paused) return;
    if (!std::exchange(reported, true)) report("waiting for the run that a window trains");
    for (int k = 0; k < kLooks && keep_going(); ++k) std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
}

std::string QueueWorker::why_failed(int code) const {
  const fs::path answer = queue_.folder() / "answer";
  std::error_code error;
  return failure_of_answer(fs::exists(answer, error) ? read_file(answer, kMostAnswer) : "", code,
                           end_of_file(queue_.log(), said_before_));
}

QueueWorker::Outcome QueueWorker::work(const std::function<bool()>& keep_going,
                                       const std::function<void(const std::string&)>& report) {
  Outcome outcome;
  for (;;) {
    queue_.report_work("", of_window_);
    wait_for_windows(keep_going, report);
    if (!keep_going() || abandoned()) return outcome.end = End::stopped, outcome;
    const QueueView view = queue_.read();
    if (view.paused) return outcome.end = End::paused, outcome;
    const auto next = std::ranges::find_if(view.items, &QueueItem::ready);
    if (next == view.items.end()) {
      for (const QueueItem& item : view.items)
        if (!item.in_use.empty()) outcome.in_use.push_back(fmt::format("{} ({})", item.name(), item.in_use));
      return outcome;
    }
    queue_.report_work(next->id, of_window_);
    report(fmt::format("{} ({} left)", next->name(), view.left()));
    const std::optional<int> code = run(*next, command(*next), keep_going);
    if (!code) continue;
    if (*code == 0) {
      // A run is evaluated after training. If that fails, it is finished nevertheless, and can be evaluated later.
      if (next->kind == QueueKind::run) {
        report(fmt::format("{} is evaluated", next->name()));
        const std::vector<std::string> words = {program_.string(), "--batch", "evaluate", next->folder.string(),
                                                "--json"};
        if (const std::optional<int> scored = run(*next, words, keep_going); scored && *scored != 0)
          report(fmt::format("{} is trained, but not evaluated: {}", next->name(), why_failed(*scored)));
      }
      ++outcome.done;
      queue_.remove(next->id);
      continue;
    }
    // Another process took it between the check and the start.
    if (next->kind == QueueKind::run && is_locked(next->folder)) continue;
    const std::string reason = why_failed(*code);
    queue_.fail(next->id, reason);
    outcome.failed.push_back(next->name());
    report(fmt::format("{} failed: {}", next->name(), reason));
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
