#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace pairs {

// Answers worked out in the background, of which only the newest counts. A request replaces the one that waits and asks
// the one that runs to end early; one runs at a time. Jobs run on threads that all share (core/base/jobs.h), of low
// priority, so that the window stays quick.
class LatestWorker {
 public:
  // `stale` turns true once a newer request came or the worker ends; long jobs ask it and return or throw Stopped, as
  // interruption_point() does for them.
  using Stale = std::function<bool()>;
  using Job = std::function<void(const Stale& stale)>;

  // `failed` is called on the job's thread with one sentence when a job throws anything but Stopped.
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
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace pairs
