#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <utility>

namespace pairs::model {

// Where the background half of a tab puts the newest of what it has worked out, for any thread to ask. Result has a
// `version`, which grows with every change.
template <class Result>
class ResultBoard {
 public:
  // `wake` is called after each change, on the thread that made it.
  explicit ResultBoard(std::function<void()> wake) : wake_(std::move(wake)) {}

  Result result() const {
    const std::lock_guard lock(mutex_);
    return result_;
  }
  // Of the newest result: whether asking for it is worth it.
  std::uint64_t version() const { return version_.load(); }
  // What the background does now, "" at rest.
  std::string activity() const {
    const std::lock_guard lock(mutex_);
    return activity_;
  }

  template <class F>
  void publish(F&& change) {
    {
      const std::lock_guard lock(mutex_);
      change(result_);
      result_.version = version_ + 1;
      version_ = result_.version;
    }
    wake_();
  }
  void now(const std::string& doing) {
    const std::lock_guard lock(mutex_);
    activity_ = doing;
  }

 private:
  std::function<void()> wake_;
  mutable std::mutex mutex_;
  Result result_;
  std::string activity_;
  std::atomic<std::uint64_t> version_{0};
};

}  // namespace pairs::model
