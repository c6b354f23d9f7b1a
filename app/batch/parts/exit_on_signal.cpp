#include "app/batch/parts/exit_on_signal.h"

#include <unistd.h>

#include <exception>
#include <mutex>
#include <utility>

#include "core/base/files/files.h"
#include "core/base/threads/stop.h"

namespace pairs::batch {
namespace {

struct Exits {
  std::mutex mutex;
  std::function<void()> report;  // empty: no ExitOnSignal exists
  int saving = 0;
};
// Never destroyed: the thread that waits for signals may still use it at the process's end.
Exits& exits() {
  static auto* const kept = new Exits;
  return *kept;
}

[[noreturn]] void end(const std::function<void()>& report) {
  abandon_writes();
  if (report) report();
  ::_exit(128 + last_signal());
}

}  // namespace

ExitOnSignal::ExitOnSignal(std::function<void()> report)
    : callback_(
          [&]() -> std::stop_token {
            const std::lock_guard lock(exits().mutex);
            exits().report = std::move(report);
            return signal_stop_token();
          }(),
          [] {
            const std::lock_guard lock(exits().mutex);
            if (exits().saving == 0 && exits().report) end(exits().report);
          }) {}

ExitOnSignal::~ExitOnSignal() {
  const std::lock_guard lock(exits().mutex);
  exits().report = nullptr;
}

SavesOnSignal::SavesOnSignal() : exceptions_(std::uncaught_exceptions()) {
  const std::lock_guard lock(exits().mutex);
  ++exits().saving;
}

SavesOnSignal::~SavesOnSignal() {
  const std::lock_guard lock(exits().mutex);
  const bool failed = std::uncaught_exceptions() > exceptions_;
  if (--exits().saving == 0 && last_signal() != 0 && !failed && exits().report) end(exits().report);
}

void exit_by_signal() {
  const std::lock_guard lock(exits().mutex);
  end(exits().report);
}

}  // namespace pairs::batch
