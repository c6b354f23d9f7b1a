#include "app/posterior/files/growing_text.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "core/base/text/error.h"

namespace pairs {
namespace {

constexpr std::size_t kLongestLine = 1 << 16, kRemembered = 64;
constexpr int kWaitMilliseconds = 100;

// Waits briefly, or until a signal, whether standard input has data or its end.
bool input_waits() {
  pollfd input{STDIN_FILENO, POLLIN, 0};
  const int ready = ::poll(&input, 1, kWaitMilliseconds);
  return ready > 0 || (ready < 0 && errno != EINTR);
}

}  // namespace

GrowingText::GrowingText(const std::string& data, std::string name)
    : data_(data),
      name_(std::move(name)),
      appended_(data != "-"),
      file_(appended_ ? ::open(data.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1) {
  PAIRS_CHECK(!appended_ || file_ >= 0, "{} cannot be opened: {}; check its name and its permissions", name_,
              std::strerror(errno));
  struct stat opened {};
  PAIRS_CHECK(!appended_ || (::fstat(file_, &opened) == 0 && S_ISREG(opened.st_mode)),
              "{} is no file that grows but a pipe, a folder or a device; pass the output of a pipe as standard input "
              "(infer --data - --follow)",
              name_);
}

void GrowingText::remember(std::string_view bytes) {
  at_ += static_cast<std::int64_t>(bytes.size());
  last_.append(bytes.substr(bytes.size() - std::min(bytes.size(), kRemembered)));
  if (last_.size() > kRemembered) last_.erase(0, last_.size() - kRemembered);
}

// A file that is followed only grows at its end.
void GrowingText::check_same() const {
  struct stat opened;
  if (!appended_ || ::fstat(file_, &opened) != 0 || !S_ISREG(opened.st_mode)) return;
  std::string before(last_.size(), '\0');
  const ssize_t got = ::pread(file_, before.data(), before.size(), at_ - static_cast<std::int64_t>(before.size()));
  PAIRS_CHECK(opened.st_size >= at_ && got == static_cast<ssize_t>(before.size()) && before == last_,
              "{} was cut short or written anew while it was followed; follow it again to begin with what it holds now",
              name_);
}

// Throws if the file was renamed or its name now belongs to another file, but only after reading what was written to
// it.
void GrowingText::check_named() const {
  struct stat opened, named;
  if (!appended_ || ::fstat(file_, &opened) != 0 || !S_ISREG(opened.st_mode)) return;
  PAIRS_CHECK(::stat(data_.c_str(), &named) == 0,
              "{} was moved or removed while it was followed; what it held is used, and no more can come", name_);
  PAIRS_CHECK(named.st_dev == opened.st_dev && named.st_ino == opened.st_ino,
              "{} was replaced by another file while it was followed; follow it again to begin with that one", name_);
}

GrowingText::Came GrowingText::read(const std::function<void(std::string_view)>& take) {
  for (;;) {
    // Standard input may be silent for long, and the caller has other work.
    if (!appended_ && !input_waits()) return Came::nothing;
    const ssize_t got = ::read(appended_ ? static_cast<int>(file_) : STDIN_FILENO, buffer_.data(), buffer_.size());
    if (got < 0 && errno == EINTR) continue;
    PAIRS_CHECK(got >= 0, "{} cannot be read: {}", name_, std::strerror(errno));
    if (got == 0) {
      if (appended_) {
        check_same();
        check_named();
        return Came::nothing;
      }
      const std::string last = std::exchange(rest_, "");
      if (last.empty()) return Came::end;
      take(last);
      return Came::lines;
    }
    // In a rewritten file, new text does not continue the old.
    check_same();
    const std::string_view bytes(buffer_.data(), static_cast<std::size_t>(got));
    PAIRS_CHECK(bytes.find('\0') == bytes.npos,
                "{} holds no text, and only lines of text can be followed; ask about the file as it is by leaving out "
                "--follow",
                name_);
    remember(bytes);
    rest_.append(bytes);
    const std::size_t end = rest_.rfind('\n');
    if (end == rest_.npos) {
      PAIRS_CHECK(rest_.size() <= kLongestLine, "{} has a line of more than {} bytes; give one observation per line",
                  name_, kLongestLine);
      continue;
    }
    const std::string whole = rest_.substr(0, end);
    rest_.erase(0, end + 1);
    std::string_view left = whole;
    for (std::size_t at = 0; at != left.npos;) {
      take(left.substr(0, at = left.find('\n')));
      left.remove_prefix(at == left.npos ? left.size() : at + 1);
    }
    return Came::lines;
  }
}

}  // namespace pairs
