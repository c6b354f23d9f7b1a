#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace pairs {

// Runs requests in the background, of which only the newest counts. A request replaces the waiting one and asks the
// running one to end early; one runs at a time. Jobs run on shared low-priority threads (core/base/threads/jobs.h), so
// that the window stays responsive.
class LatestWorker {
 public:
  // `stale` returns true once a newer request has come or the worker ends; long jobs check it and return or throw
  // Stopped, as interruption_point() does for them.
  using Stale = std::function<bool()>;
  using Job = std::function<void(const Stale& stale)>;

  // `failed` is called on the job's thread with one sentence when a job throws anything but Stopped.
  explicit LatestWorker(std::function<void(const std::string&)> failed);
  // Waits until the running job has noticed that it is stale.
  ~LatestWorker();
  LatestWorker(const LatestWorker&) = delete;
  LatestWorker& operator=(const LatestWorker&) = delete;

  void request(Job job);
  // Drops the waiting job and makes the running one stale.
  void cancel();
  // Whether a job waits or runs.
  bool busy() const;
  // Waits until no job waits or runs, or `seconds` have passed; true if none does. For tests and screenshots.
  bool wait(double seconds);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace pairs
