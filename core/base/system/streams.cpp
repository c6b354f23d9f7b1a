#include "core/base/system/streams.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <string>

#include "core/base/threads/stop.h"

namespace pairs {
namespace {

// Escapes text for a terminal, so that it is only printed: control characters except line breaks and tabs become \xNN.
std::string visible(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    // Control characters of Latin-1 are two bytes in UTF-8.
    const bool second = i > 0 && static_cast<unsigned char>(text[i - 1]) == 0xc2 && byte >= 0x80 && byte < 0xa0;
    if ((byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7f || second) {
      if (second) out.pop_back();
      out += second ? fmt::format("\\xc2\\x{:02x}", byte) : fmt::format("\\x{:02x}", byte);
    } else {
      out += text[i];
    }
  }
  return out;
}

}  // namespace

void open_standard_streams() {
  // The lowest free number is used, so that each stream gets its own. Writing to a stdout opened for reading fails.
  for (const auto& [descriptor, mode] :
       {std::pair{STDIN_FILENO, O_RDONLY}, {STDOUT_FILENO, O_RDONLY}, {STDERR_FILENO, O_WRONLY}})
    if (::fcntl(descriptor, F_GETFD) < 0 && errno == EBADF) (void)!::open("/dev/null", mode);
}

void print(std::string_view message) {
  constexpr int kLook = 100;  // milliseconds between two checks for a signal
  const bool clears = message.starts_with(kClearLine);
  const std::string whole =
      (clears ? std::string(kClearLine) : "") + visible(message.substr(clears ? kClearLine.size() : 0));
  std::string_view text = whole;
  while (!text.empty()) {
    pollfd room{STDERR_FILENO, POLLOUT, 0};
    const int ready = ::poll(&room, 1, kLook);
    if (ready < 0 && errno != EINTR) return;
    if (ready <= 0) {
      if (signal_stop_token().stop_requested()) return;
      continue;
    }
    // A pipe that is ready accepts this much without blocking.
    const ssize_t written = ::write(STDERR_FILENO, text.data(), std::min<std::size_t>(text.size(), PIPE_BUF));
    if (written < 0 && errno != EINTR && errno != EAGAIN) return;
    if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
  }
}

bool answer(std::string_view results) {
  const std::string text = visible(results);
  return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
}

void answer_at_once(std::string_view text) {
  if (::ftrylockfile(stdout) != 0) return;
  pollfd room{STDOUT_FILENO, POLLOUT, 0};
  if (std::fflush(stdout) == 0 && ::poll(&room, 1, 0) == 1 && (room.revents & POLLOUT) != 0)
    (void)!::write(STDOUT_FILENO, text.data(), std::min<std::size_t>(text.size(), PIPE_BUF));
  ::funlockfile(stdout);
}

}  // namespace pairs
