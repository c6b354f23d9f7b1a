#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace pairs::model {

// A thread for answers of which only the newest counts. A request replaces the one that waits and asks the one that
// runs to end early. The thread has low priority, so that the window stays quick.
class LatestWorker {
 public:
  // `stale` turns true once a newer request came or the worker ends; long jobs ask it and return or throw Stopped, as
  // interruption_point() does for them.
  using Stale = std::function<bool()>;
  using Job = std::function<void(const Stale& stale)>;

  // `failed` is called on the worker's thread with one sentence when a job throws anything but Stopped.
  explicit LatestWorker(std::function<void(const std::string&)> failed);
  // Waits until the running job has seen that it is stale.
  ~LatestWorker();
  LatestWorker(const LatestWorker&) = delete;
  LatestWorker& operator=(const LatestWorker&) = delete;

  void request(Job job);
  // Forgets what waits and makes what runs stale.
  void cancel();
  // Whether a job waits or runs.
  bool busy() const;
  // Waits until none does, or `seconds` have passed; true when none does. For tests and screenshots.
  bool wait(double seconds);

 private:
  void loop(std::stop_token token);

  std::function<void(const std::string&)> failed_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  Job next_;
  bool running_ = false;
  std::atomic<std::uint64_t> newest_{0};
  std::jthread thread_;
};

// Gives the calling thread, and threads it starts from now on, `by` steps (0 to 19) less priority than others have.
void lower_priority(int by);

}  // namespace pairs::model
