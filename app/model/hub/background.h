#pragma once

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "app/model/hub/hub.h"
#include "core/base/latest_worker.h"

namespace pairs::model {

// The front half of a tab whose answers are worked out in the background, of which only the newest count. Engine: made
// from a function that wakes the window, with work(request, stale), which belongs to the worker's thread, and a
// ResultBoard. All members belong to the window's thread.
template <class Engine, class Request>
class Background {
 public:
  explicit Background(Hub& hub)
      : hub_(hub), engine_([&hub] { hub.wake(); }), worker_([this](const std::string& text) { fail(text); }) {}

  // Does what this request asks for rather than an earlier one.
  void request(Request request) {
    worker_.request(
        [this, wanted = std::move(request)](const LatestWorker::Stale& stale) { engine_.work(wanted, stale); });
  }
  void cancel() { worker_.cancel(); }
  bool busy() const { return worker_.busy(); }
  bool wait(double seconds) { return worker_.wait(std::max(seconds, 0.0)); }
  std::string activity() const { return worker_.busy() ? engine_.activity() : ""; }
  const Engine& engine() const { return engine_; }

  // Whether there is a newer result than the one taken last.
  bool fresh() const { return engine_.version() != seen_; }
  // The newest result, where there is a newer one than last time.
  auto take() {
    using Result = decltype(engine_.result());
    if (!fresh()) return std::optional<Result>();
    std::optional<Result> result = engine_.result();
    seen_ = result->version;
    return result;
  }
  // Why work ended that should not have, once: a sentence or nothing.
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
