#include "core/base/threads/stop.h"

#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <system_error>
#include <thread>

#include "core/base/text/error.h"

namespace pairs {
namespace {

std::atomic<int> received{0};
static_assert(std::atomic<int>::is_always_lock_free);
int wake_descriptor = -1;

// Never destroyed: the watcher may still use it while static objects are destroyed.
std::stop_source& source() {
  static auto* const kept = new std::stop_source;
  return *kept;
}

void on_signal(int signal) {
  int none = 0;
  if (!received.compare_exchange_strong(none, signal)) ::_exit(128 + signal);
  const int saved = errno;
  const std::uint64_t one = 1;
  (void)!::write(wake_descriptor, &one, sizeof one);
  errno = saved;
}

void watch() {
  std::uint64_t count;
  while (::read(wake_descriptor, &count, sizeof count) < 0 && errno == EINTR) {
  }
  source().request_stop();
}

void handle(int signal, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  ::sigemptyset(&action.sa_mask);
  PAIRS_CHECK(::sigaction(signal, &action, nullptr) == 0, "cannot handle signal {}: {}", signal, std::strerror(errno));
}

void install() {
  source();
  wake_descriptor = ::eventfd(0, EFD_CLOEXEC);
  PAIRS_CHECK(wake_descriptor >= 0, "cannot make an event descriptor: {}; raise the limit on open files (ulimit -n)",
              std::strerror(errno));
  // The watcher inherits a mask that leaves signals to the other threads.
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, &before);
  int error = 0;
  try {
    std::thread(watch).detach();
  } catch (const std::system_error& refused) {
    error = refused.code().value();
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  PAIRS_CHECK(error == 0, "cannot start a thread that waits for signals: {}; raise the limit on processes (ulimit -u)",
              std::strerror(error));
  handle(SIGPIPE, SIG_IGN);
  handle(SIGXFSZ, SIG_IGN);
  handle(SIGINT, on_signal);
  handle(SIGTERM, on_signal);
  handle(SIGUSR1, on_signal);  // schedulers send it before a job's time runs out
  // Sent when a terminal closes; a program started by nohup already ignores it and continues.
  struct sigaction hangup {};
  if (::sigaction(SIGHUP, nullptr, &hangup) == 0 && hangup.sa_handler != SIG_IGN) handle(SIGHUP, on_signal);
}

}  // namespace

void install_signal_handlers() {
  static std::once_flag once;
  std::call_once(once, install);
}

std::stop_token signal_stop_token() {
  return source().get_token();
}

int last_signal() {
  return received.load();
}

const char* signal_name(int signal) {
  switch (signal) {
    case SIGINT:
      return "SIGINT";
    case SIGTERM:
      return "SIGTERM";
    case SIGHUP:
      return "SIGHUP";
    case SIGUSR1:
      return "SIGUSR1";
    default:
      return "a signal";
  }
}

}  // namespace pairs
