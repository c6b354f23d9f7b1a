#pragma once

#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include "app/model/hub/hub.h"
#include "core/base/threads/latest_worker.h"

namespace pairs::model {

// Writes a file in the background and reports the outcome. All members belong to the window's thread.
class FileJob {
 public:
  explicit FileJob(Hub& hub);

  // `write` makes the file; it returns false or throws Stopped if it was stopped before writing anything. A running job
  // becomes stale.
  void start(std::filesystem::path file, std::function<bool(const LatestWorker::Stale& stale)> write);
  // Stops the job unless it has already written its file.
  void cancel();
  bool busy() const { return worker_.busy(); }
  bool wait(double seconds) { return worker_.wait(seconds); }
  // The outcome of the last job, reported once: the file written, or a sentence on why none was.
  struct Outcome {
    std::filesystem::path file;
    std::string failure;
  };
  std::optional<Outcome> take();

 private:
  void end(Outcome outcome);

  Hub& hub_;
  std::mutex mutex_;
  std::optional<Outcome> outcome_;
  LatestWorker worker_;  // last: ends first
};

}  // namespace pairs::model
