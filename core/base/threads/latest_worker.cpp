#include "core/base/threads/latest_worker.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "core/base/text/error.h"
#include "core/base/threads/interruption.h"
#include "core/base/threads/jobs.h"
#include "core/base/threads/threads.h"

namespace pairs {

struct LatestWorker::State {
  std::function<void(const std::string&)> failed;
  std::mutex mutex;
  std::condition_variable changed;
  Job next;
  bool running = false;  // a thread is running, or about to
  std::atomic<std::uint64_t> newest{0};

  // Runs requests until there are no more.
  void run() {
    for (;;) {
      Job job;
      std::uint64_t mine = 0;
      {
        const std::lock_guard lock(mutex);
        if (!next) {
          running = false;
          changed.notify_all();
          return;
        }
        job = std::exchange(next, nullptr);
        mine = newest.load();
      }
      try {
        follow_background_threads();
        const Stale stale = [&] { return newest.load() != mine; };
        const Interruptible within(stale);
        job(stale);
      } catch (const Stopped&) {
      } catch (const std::exception& error) {
        failed(sentence(error));
      }
    }
  }
};

LatestWorker::LatestWorker(std::function<void(const std::string&)> failed) : state_(std::make_shared<State>()) {
  state_->failed = std::move(failed);
}

LatestWorker::~LatestWorker() {
  cancel();
  std::unique_lock lock(state_->mutex);
  state_->changed.wait(lock, [&] { return !state_->running; });
}

void LatestWorker::request(Job job) {
  const std::lock_guard lock(state_->mutex);
  state_->next = std::move(job);
  ++state_->newest;
  if (std::exchange(state_->running, true)) return;
  run_in_background([state = state_] { state->run(); });
}

void LatestWorker::cancel() {
  const std::lock_guard lock(state_->mutex);
  state_->next = nullptr;
  ++state_->newest;
}

bool LatestWorker::busy() const {
  const std::lock_guard lock(state_->mutex);
  return state_->running;
}

bool LatestWorker::wait(double seconds) {
  std::unique_lock lock(state_->mutex);
  return state_->changed.wait_for(lock, std::chrono::duration<double>(seconds), [&] { return !state_->running; });
}

}  // namespace pairs
