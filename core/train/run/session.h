#pragma once

#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string_view>
#include <thread>

#include "core/train/run/run.h"

namespace pairs {

// States and actions of a session: one table, with a reason for every action that is not allowed.
// How the last job of a session ended; none: it has not ended, or there was none yet.
enum class SessionOutcome { none, done, stopped, failed };

enum class SessionState { idle, running, pausing, paused, stopping, failed };
enum class SessionAction { start, pause, resume, stop, dismiss };
inline constexpr int session_states = 6, session_actions = 5;

// Empty if the action is allowed, else the reason in one sentence.
std::string_view blocked_reason(SessionState state, SessionAction action);

// Runs jobs (a run's stages, an evaluation) for one client, the window or --batch, on a thread that exists while there
// is work. Thread-safe; drain() and latest() never wait for the worker.
class Session {
 public:
  Session() = default;
  // Asks a running job to stop and waits until it has saved.
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  using Job = std::function<void(Monitor&)>;
  // Starts a job (e.g. [=](Monitor& m) { execute_run(folder, m); }). Every action throws a usage error with
  // blocked_reason if it is not allowed now.
  void start(Job job);
  void pause();
  void resume();
  void stop();
  void dismiss();  // failed -> idle

  SessionState state() const { return state_.load(); }
  // The sentence of the last failure; empty if there was none.
  std::string error() const;
  SessionOutcome outcome() const { return outcome_.load(); }
  std::vector<Event> drain() { return events_.drain(); }
  std::shared_ptr<const Progress> latest() const { return progress_.load(); }
  // Waits until the session is idle or failed, or `seconds` have passed; true if it is idle or failed.
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
