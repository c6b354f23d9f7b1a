#include "app/batch/parts/drive.h"

#include <fmt/format.h>

#include <chrono>
#include <exception>
#include <memory>

#include "app/batch/parts/exit_on_signal.h"
#include "core/base/text/error.h"
#include "core/base/threads/clock.h"
#include "core/base/threads/stop.h"

namespace pairs::batch {

bool keep_going() {
  return !signal_stop_token().stop_requested();
}

void drive(const Session::Job& job, ProgressPrinter& printer, const std::function<void(const Event&)>& seen) {
  if (!keep_going()) throw Stopped();
  std::exception_ptr failure;  // written by the worker before the session comes to rest
  const auto guarded = [&](Monitor& monitor) {
    try {
      job(monitor);
    } catch (const Stopped&) {
      throw;
    } catch (...) {
      failure = std::current_exception();
      throw;
    }
  };
  Session session;
  session.start(guarded);
  const auto begin = std::chrono::steady_clock::now();
  std::shared_ptr<const Progress> last;  // of a finished stage
  const auto report = [&] {
    for (const Event& event : session.drain()) {
      printer.event(event);
      if (seen) seen(event);
      const auto latest = session.latest();
      if (event.type == EventType::stage_done && latest && latest->stage == event.stage) last = latest;
    }
    const double now = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (const auto latest = session.latest(); latest && latest != last) printer.progress(*latest, now);
  };
  constexpr double kPatience = 11;
  bool asked = false, rest = false;
  Stopwatch since;
  while (!rest) {
    rest = session.wait(0.1);
    report();
    if (!rest && !asked && !keep_going()) {
      asked = true;
      since.restart();
      try {
        session.stop();
      } catch (const Error&) {
        // The job ended between the two calls; the loop ends by itself.
      }
    }
    if (!rest && asked && since.seconds() > kPatience) {
      printer.line(fmt::format("it did not stop within {:.0f} seconds: what was done since its last checkpoint is lost",
                               kPatience));
      exit_by_signal();
    }
  }
  printer.finish();
  if (session.outcome() == SessionOutcome::stopped) throw Stopped();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace pairs::batch
