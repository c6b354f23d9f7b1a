#include "app/batch/drive.h"

#include <chrono>
#include <exception>

#include "core/base/error.h"
#include "core/base/stop.h"

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
  const auto report = [&] {
    for (const Event& event : session.drain()) {
      printer.event(event);
      if (seen) seen(event);
    }
    const double now = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (const auto latest = session.latest()) printer.progress(*latest, now);
  };
  bool asked = false, rest = false;
  while (!rest) {
    rest = session.wait(0.1);
    report();
    if (!rest && !asked && !keep_going()) {
      asked = true;
      try {
        session.stop();
      } catch (const Error&) {
        // The job came to rest between the two calls; the loop ends on its own.
      }
    }
  }
  printer.finish();
  if (session.outcome() == 's') throw Stopped();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace pairs::batch
