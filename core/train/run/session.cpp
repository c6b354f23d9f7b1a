#include "core/train/run/session.h"

#include <array>
#include <chrono>

#include "core/base/text/error.h"
#include "core/base/threads/clock.h"
#include "core/base/threads/interruption.h"
#include "core/train/run/work_watch.h"

namespace pairs {
namespace {

using Row = std::array<std::string_view, session_actions>;
constexpr std::string_view kNothing = "Nothing is running";
constexpr std::string_view kBusy = "A job is running; stop it or wait until it is done";
constexpr std::string_view kStopping = "The job is being stopped and saves its state";
constexpr std::string_view kFailed = "The last job failed; dismiss its message first";
constexpr std::string_view kNoFailure = "There is no failure to dismiss";

// Rows in the order of SessionState; columns: start, pause, resume, stop, dismiss.
constexpr std::array<Row, session_states> kBlocked = {{
    {"", kNothing, kNothing, kNothing, kNoFailure},
    {kBusy, "", "The job is not paused", "", kNoFailure},
    {kBusy, "The job is already about to pause", "", "", kNoFailure},
    {kBusy, "The job is already paused", "", "", kNoFailure},
    {kStopping, kStopping, kStopping, kStopping, kNoFailure},
    {kFailed, kNothing, kNothing, kNothing, ""},
}};

}  // namespace

std::string_view blocked_reason(SessionState state, SessionAction action) {
  return kBlocked[static_cast<std::size_t>(state)][static_cast<std::size_t>(action)];
}

// The worker's side of a running job: forwards its reports, blocks it while paused.
class Session::Worker : public Monitor {
 public:
  explicit Worker(Session& session) : session_(session) {}
  void event(const Event& event) override { session_.events_.push(event); }
  void progress(const Progress& progress) override {
    session_.progress_.store(std::make_shared<const Progress>(progress));
  }
  bool should_stop() override {
    if (session_.state_.load() == SessionState::pausing) {
      std::unique_lock lock(session_.mutex_);
      if (session_.state_.load() == SessionState::pausing) {
        session_.state_ = SessionState::paused;
        session_.changed_.notify_all();
      }
      const Stopwatch watch;
      session_.changed_.wait(lock, [&] { return session_.state_.load() != SessionState::paused || session_.stop_; });
      paused_seconds += watch.seconds();
    }
    return session_.stop_;
  }

 private:
  Session& session_;
};

Session::~Session() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
}

void Session::act(SessionAction action, const std::function<void()>& effect) {
  {
    const std::lock_guard lock(mutex_);
    const std::string_view reason = blocked_reason(state_.load(), action);
    if (!reason.empty()) throw Error(std::string(reason) + ".", ErrorKind::usage);
    effect();
  }
  changed_.notify_all();
}

void Session::start(Job job) {
  act(SessionAction::start, [&] {
    error_.clear();
    stop_ = false;
    outcome_ = SessionOutcome::none;
    progress_.store(nullptr);
    state_ = SessionState::running;
    // The previous job's thread has nothing left to do.
    thread_ = std::jthread([this, own = std::move(job)]() mutable { work(std::exchange(own, nullptr)); });
  });
}

void Session::pause() {
  act(SessionAction::pause, [&] { state_ = SessionState::pausing; });
}

void Session::resume() {
  act(SessionAction::resume, [&] { state_ = SessionState::running; });
}

void Session::stop() {
  act(SessionAction::stop, [&] {
    stop_ = true;
    state_ = SessionState::stopping;
  });
}

void Session::dismiss() {
  act(SessionAction::dismiss, [&] {
    error_.clear();
    state_ = SessionState::idle;
  });
}

std::string Session::error() const {
  const std::lock_guard lock(mutex_);
  return error_;
}

bool Session::wait(double seconds) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, std::chrono::duration<double>(seconds), [&] {
    const SessionState s = state_.load();
    return s == SessionState::idle || s == SessionState::failed;
  });
}

void Session::work(Job job) {
  std::string failure;
  SessionOutcome outcome = SessionOutcome::done;
  try {
    Worker worker(*this);
    const Interruptible within([this] { return stop_.load(); });
    job(worker);
  } catch (const Stopped&) {
    outcome = SessionOutcome::stopped;
  } catch (const std::exception& error) {
    outcome = SessionOutcome::failed;
    failure = sentence(error);
  }
  if (outcome == SessionOutcome::failed) {
    Event event;
    event.type = EventType::error;
    event.values["text"] = failure;
    events_.push(event);
  }
  job = nullptr;
  const std::lock_guard lock(mutex_);
  error_ = failure;
  outcome_ = outcome;
  state_ = outcome == SessionOutcome::failed ? SessionState::failed : SessionState::idle;
  changed_.notify_all();
}

}  // namespace pairs
