#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <utility>

namespace pairs::model {

// Holds the newest result of a tab's background work; thread-safe. Result has a `version`, which grows with every
// change.
template <class Result>
class ResultBoard {
 public:
  // `wake` is called after each change, on the thread that made it.
  explicit ResultBoard(std::function<void()> wake) : wake_(std::move(wake)) {}

  Result result() const {
    const std::lock_guard lock(mutex_);
    return result_;
  }
  // The version of the newest result; cheaper than result().
  std::uint64_t version() const { return version_.load(); }
  // The current background activity, "" at rest.
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
