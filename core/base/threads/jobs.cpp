#include "core/base/threads/jobs.h"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

#include "core/base/threads/priority.h"

namespace pairs {
namespace {

constexpr std::chrono::milliseconds kRest{1500};  // after this time a thread without a job ends
constexpr int kLowered = 2;

// Exists as long as the process: its threads end by themselves.
class SharedThreads {
 public:
  void run(std::function<void()> job) {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(job));
    if (static_cast<int>(waiting_.size()) <= resting_) {
      came_.notify_one();
      return;
    }
    ++threads_;
    std::thread([this] { work(); }).detach();
  }
  int threads() {
    const std::lock_guard lock(mutex_);
    return threads_;
  }

 private:
  void work() {
    lower_priority(kLowered);
    const int usual = lowered_priority();
    std::unique_lock lock(mutex_);
    for (;;) {
      ++resting_;
      const bool any = came_.wait_for(lock, kRest, [&] { return !waiting_.empty(); });
      --resting_;
      if (!any) break;
      std::function<void()> job = std::move(waiting_.front());
      waiting_.pop_front();
      lock.unlock();
      job();
      job = nullptr;
      lock.lock();
      // A job may have lowered its priority further, which cannot be undone.
      if (lowered_priority() != usual) break;
    }
    --threads_;
  }

  std::mutex mutex_;
  std::condition_variable came_;
  std::deque<std::function<void()>> waiting_;
  int threads_ = 0, resting_ = 0;
};

SharedThreads& shared_threads() {
  static auto* const threads = new SharedThreads;
  return *threads;
}

}  // namespace

void run_in_background(std::function<void()> job) {
  shared_threads().run(std::move(job));
}

int background_threads() {
  return shared_threads().threads();
}

}  // namespace pairs
