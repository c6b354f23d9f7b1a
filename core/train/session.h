#pragma once

#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string_view>
#include <thread>

#include "core/train/run.h"

namespace pairs {

// State of a session and what may be done in it: one table, with a reason for everything that may not.
// How the last job of a session ended; none: it has not, or there was none yet.
enum class SessionOutcome { none, done, stopped, failed };

enum class SessionState { idle, running, pausing, paused, stopping, failed };
enum class SessionAction { start, pause, resume, stop, dismiss };
inline constexpr int session_states = 6, session_actions = 5;

// Empty when the action is allowed, else why not, in one sentence.
std::string_view blocked_reason(SessionState state, SessionAction action);

// A thread while there is work, which runs jobs (a run's stages, an evaluation) for one client: the window or --batch.
// Every member may be called from any thread; drain() and latest() never wait for the worker's work.
class Session {
 public:
  Session() = default;
  // Asks a running job to stop, waits until it has saved.
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  using Job = std::function<void(Monitor&)>;
  // Starts a job (e.g. [=](Monitor& m) { execute_run(folder, m); }). Each call throws a usage error with blocked_reason
  // when it is not allowed now.
  void start(Job job);
  void pause();
  void resume();
  void stop();
  void dismiss();  // failed -> idle

  SessionState state() const { return state_.load(); }
  // The sentence of the last failure; empty when none.
  std::string error() const;
  SessionOutcome outcome() const { return outcome_.load(); }
  std::vector<Event> drain() { return events_.drain(); }
  std::shared_ptr<const Progress> latest() const { return progress_.load(); }
  // Waits until the session is idle, failed or `seconds` have passed; true when it is at rest.
  bool wait(double seconds);

 private:
  class Worker;
  void act(SessionAction action, const std::function<void()>& effect);
  void work(Job job);

  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::atomic<SessionState> state_{SessionState::idle};
  std::atomic<SessionOutcome> outcome_{SessionOutcome::none};
  std::string error_;
  std::atomic<bool> stop_{false};
  EventQueue events_;
  std::atomic<std::shared_ptr<const Progress>> progress_;
  std::jthread thread_;
};

}  // namespace pairs
