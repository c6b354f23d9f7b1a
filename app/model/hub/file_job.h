#pragma once

#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include "app/model/hub/hub.h"
#include "core/base/latest_worker.h"

namespace pairs::model {

// A file that is written in the background, and what became of it. All members belong to the window's thread.
class FileJob {
 public:
  explicit FileJob(Hub& hub);

  // `write` makes the file; false, or Stopped, where it was stopped before anything was written. A job that runs
  // becomes stale.
  void start(std::filesystem::path file, std::function<bool(const LatestWorker::Stale& stale)> write);
  // What has not been written yet, is not.
  void cancel();
  bool busy() const { return worker_.busy(); }
  bool wait(double seconds) { return worker_.wait(seconds); }
  // How the last one ended, once: the file that was written, or why none was, a sentence.
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
