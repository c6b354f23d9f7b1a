#pragma once

#include <stop_token>

namespace pairs {

// From here on the first SIGINT, SIGTERM, SIGUSR1 or (unless ignored) SIGHUP requests a stop and the second ends the
// process at once with exit code 128 + signal. SIGPIPE and SIGXFSZ are ignored, so that a closed pipe and a file too
// large are errors of the write. Call once at the start of main; later calls change nothing. Throws Error when the
// system refuses.
void install_signal_handlers();

// The token that the first signal stops; never stopped before install_signal_handlers(). Its callbacks run on a thread
// of their own, never inside the signal handler.
std::stop_token signal_stop_token();

// The first of these signals received, 0 when there was none.
int last_signal();
// "SIGINT", "SIGTERM", "SIGHUP", "SIGUSR1", else "a signal".
const char* signal_name(int signal);

}  // namespace pairs
