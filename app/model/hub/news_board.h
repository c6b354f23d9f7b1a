#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <utility>

namespace pairs::model {

// Where the background half of a tab puts the newest of what it has worked out, for any thread to ask. News has a
// `version`, which grows with every change.
template <class News>
class NewsBoard {
 public:
  // `wake` is called after each change, on the thread that made it.
  explicit NewsBoard(std::function<void()> wake) : wake_(std::move(wake)) {}

  News news() const {
    const std::lock_guard lock(mutex_);
    return news_;
  }
  // Of the newest news: whether asking for them is worth it.
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
      change(news_);
      news_.version = version_ + 1;
      version_ = news_.version;
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
  News news_;
  std::string activity_;
  std::atomic<std::uint64_t> version_{0};
};

}  // namespace pairs::model
