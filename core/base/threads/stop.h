#pragma once

#include <stop_token>

namespace pairs {

// From this call on, the first SIGINT, SIGTERM, SIGUSR1 or (unless ignored) SIGHUP requests a stop and the second ends
// the process at once with exit code 128 + signal. SIGPIPE and SIGXFSZ are ignored, so that a closed pipe and a file
// that is too large become write errors. Call once at the start of main; later calls do nothing. Throws Error if the
// system refuses.
void install_signal_handlers();

// The stop token that the first signal triggers; never triggered before install_signal_handlers(). Its callbacks run on
// a thread of their own, never inside the signal handler.
std::stop_token signal_stop_token();

// The first of these signals received; 0 if there was none.
int last_signal();
// "SIGINT", "SIGTERM", "SIGHUP", "SIGUSR1", else "a signal".
const char* signal_name(int signal);

}  // namespace pairs
