#include "tasks/own/stored/stored_file.h"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <mutex>

#include "core/base/files/files.h"
#include "core/base/text/error.h"

namespace pairs {
namespace {

// Every file stays open, so this allows as many as the system permits instead of the 1,024 that a process starts with.
void allow_many_files() {
  static std::once_flag once;
  std::call_once(once, [] {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, 1 << 16);
    (void)::setrlimit(RLIMIT_NOFILE, &limit);
  });
}

int open_stored(const std::filesystem::path& path) {
  allow_many_files();
  return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

}  // namespace

StoredFile::StoredFile(std::filesystem::path path, std::string name)
    : path_(std::move(path)), name_(std::move(name)), descriptor_(open_stored(path_)) {
  PAIRS_CHECK(descriptor_ >= 0, "{} cannot be opened: {}; restore it, or take it out of [simulations] files", name_,
              std::strerror(errno));
  struct stat status {};
  PAIRS_CHECK(::fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode),
              "{} is no regular file; name files of simulations in [simulations] files", name_);
  bytes_ = static_cast<std::uint64_t>(status.st_size);
  seconds_ = status.st_mtim.tv_sec;
  nanoseconds_ = status.st_mtim.tv_nsec;
  PAIRS_CHECK(bytes_ > 0, "{} is empty; write it again, or take it out of [simulations] files", name_);
}

void StoredFile::read(std::uint64_t offset, char* out, std::size_t count) const {
  while (count > 0) {
    const ssize_t got = ::pread(descriptor_, out, count, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    PAIRS_CHECK(got >= 0, "{} cannot be read: {}; check its disk", name_, std::strerror(errno));
    PAIRS_CHECK(got > 0, "{} is cut short at {} bytes; write it again", name_, offset);
    offset += static_cast<std::uint64_t>(got);
    out += got;
    count -= static_cast<std::size_t>(got);
  }
}

std::string StoredFile::state() const {
  std::string ends(std::min<std::uint64_t>(bytes_, 4096), '\0'), last = ends;
  read(0, ends.data(), ends.size());
  read(bytes_ - last.size(), last.data(), last.size());
  return fmt::format("{} bytes, modified {:%Y-%m-%d %H:%M:%S}.{:09} UTC, ends {:08x}", bytes_,
                     fmt::gmtime(static_cast<std::time_t>(seconds_)), nanoseconds_, checksum(last, checksum(ends)));
}

void StoredFile::check_unchanged() const {
  struct stat status {};
  PAIRS_CHECK(::stat(path_.c_str(), &status) == 0,
              "{} has gone since it was opened ({}); restore it and resume the run", name_, std::strerror(errno));
  PAIRS_CHECK(static_cast<std::uint64_t>(status.st_size) == bytes_ && status.st_mtim.tv_sec == seconds_ &&
                  status.st_mtim.tv_nsec == nanoseconds_,
              "{} has changed since it was opened; restore it and resume the run, or start the run anew", name_);
}

}  // namespace pairs
