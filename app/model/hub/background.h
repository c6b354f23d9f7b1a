#pragma once

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "app/model/hub/hub.h"
#include "core/base/threads/latest_worker.h"

namespace pairs::model {

// The window's side of a tab that computes in the background and shows only the newest result. An Engine is made from a
// function that wakes the window and has work(request, stale), which runs on the worker's thread, and a ResultBoard.
// All members belong to the window's thread.
template <class Engine, class Request>
class Background {
 public:
  explicit Background(Hub& hub)
      : hub_(hub), engine_([&hub] { hub.wake(); }), worker_([this](const std::string& text) { fail(text); }) {}

  // Starts this request and drops an earlier one.
  void request(Request request) {
    worker_.request(
        [this, wanted = std::move(request)](const LatestWorker::Stale& stale) { engine_.work(wanted, stale); });
  }
  void cancel() { worker_.cancel(); }
  bool busy() const { return worker_.busy(); }
  bool wait(double seconds) { return worker_.wait(std::max(seconds, 0.0)); }
  std::string activity() const { return worker_.busy() ? engine_.activity() : ""; }
  const Engine& engine() const { return engine_; }

  // Whether a result newer than the last one taken exists.
  bool fresh() const { return engine_.version() != seen_; }
  // The newest result, if it is newer than the last one taken.
  auto take() {
    using Result = decltype(engine_.result());
    if (!fresh()) return std::optional<Result>();
    std::optional<Result> result = engine_.result();
    seen_ = result->version;
    return result;
  }
  // Why the work failed, as a sentence, reported once; else "".
  std::string take_failure() {
    const std::lock_guard lock(mutex_);
    return std::exchange(failure_, "");
  }

 private:
  void fail(const std::string& text) {
    {
      const std::lock_guard lock(mutex_);
      failure_ = text;
    }
    hub_.wake();
  }

  Hub& hub_;
  std::uint64_t seen_ = 0;
  std::mutex mutex_;
  std::string failure_;
  Engine engine_;
  LatestWorker worker_;  // last: ends first
};

}  // namespace pairs::model
