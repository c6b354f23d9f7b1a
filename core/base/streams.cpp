#include "core/base/streams.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>

#include "core/base/stop.h"

namespace pairs {

void open_standard_streams() {
  // The lowest free number is taken, so that each gets its own. Writing to a stdout opened for reading fails.
  for (const auto& [descriptor, mode] :
       {std::pair{STDIN_FILENO, O_RDONLY}, {STDOUT_FILENO, O_RDONLY}, {STDERR_FILENO, O_WRONLY}})
    if (::fcntl(descriptor, F_GETFD) < 0 && errno == EBADF) (void)!::open("/dev/null", mode);
}

void tell(std::string_view text) {
  constexpr int kLook = 100;  // milliseconds between two looks for a signal
  while (!text.empty()) {
    pollfd room{STDERR_FILENO, POLLOUT, 0};
    const int ready = ::poll(&room, 1, kLook);
    if (ready < 0 && errno != EINTR) return;
    if (ready <= 0) {
      if (signal_stop_token().stop_requested()) return;
      continue;
    }
    // A pipe that is ready takes as much without making its writer wait.
    const ssize_t written = ::write(STDERR_FILENO, text.data(), std::min<std::size_t>(text.size(), PIPE_BUF));
    if (written < 0 && errno != EINTR && errno != EAGAIN) return;
    if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
  }
}

bool answer(std::string_view text) {
  return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
}

}  // namespace pairs
