#include "core/base/latest_worker.h"

#include <sys/resource.h>
#include <unistd.h>

#include <chrono>

#include "core/base/error.h"
#include "core/base/interruption.h"
#include "core/base/threads.h"

namespace pairs::model {

void lower_priority(int by) {
  setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), by);  // a wish: nothing depends on it
}

LatestWorker::LatestWorker(std::function<void(const std::string&)> failed)
    : failed_(std::move(failed)), thread_([this](std::stop_token token) { loop(token); }) {}

LatestWorker::~LatestWorker() {
  {
    const std::lock_guard lock(mutex_);
    next_ = nullptr;
    ++newest_;
    thread_.request_stop();
  }
  changed_.notify_all();
}

void LatestWorker::request(Job job) {
  {
    const std::lock_guard lock(mutex_);
    next_ = std::move(job);
    ++newest_;
  }
  changed_.notify_all();
}

void LatestWorker::cancel() {
  {
    const std::lock_guard lock(mutex_);
    next_ = nullptr;
    ++newest_;
  }
  changed_.notify_all();
}

bool LatestWorker::busy() const {
  const std::lock_guard lock(mutex_);
  return running_ || next_;
}

bool LatestWorker::wait(double seconds) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, std::chrono::duration<double>(seconds), [&] { return !running_ && !next_; });
}

void LatestWorker::loop(std::stop_token token) {
  lower_priority(2);
  for (;;) {
    Job job;
    std::uint64_t mine = 0;
    {
      std::unique_lock lock(mutex_);
      if (!changed_.wait(lock, token, [&] { return static_cast<bool>(next_); })) return;
      job = std::exchange(next_, nullptr);
      mine = newest_.load();
      running_ = true;
    }
    try {
      follow_background_threads();
      const Stale stale = [&] { return newest_.load() != mine; };
      const Interruptible within(stale);
      job(stale);
    } catch (const Stopped&) {
    } catch (const std::exception& error) {
      failed_(sentence(error));
    }
    job = nullptr;
    {
      const std::lock_guard lock(mutex_);
      running_ = false;
    }
    changed_.notify_all();
  }
}

}  // namespace pairs::model
