#include "core/base/files.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include <zlib.h>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <system_error>
#include <utility>
#include <vector>

#include "core/base/descriptor.h"
#include "core/base/error.h"
#include "core/base/text.h"

namespace pairs {
namespace fs = std::filesystem;
namespace {

// What a system error means and what to do about it.
std::string remedy(int code) {
  switch (code) {
    case ENOSPC:
    case EDQUOT:
      return "the disk is full; free some space or choose another folder";
    case EFBIG:
      return "it would exceed the largest file size allowed; raise the limit (ulimit -f) or choose another folder";
    case EACCES:
    case EPERM:
      return "permission is denied; change its permissions or choose another place";
    case EROFS:
      return "the file system is read-only; choose another folder";
    case ENOENT:
      return "it or its folder does not exist; check the path";
    case ENOTDIR:
      return "a part of the path is not a folder; check the path";
    case EISDIR:
      return "it is a folder; name a file";
    case EMFILE:
    case ENFILE:
      return "too many files are open; raise the limit (ulimit -n)";
    case EIO:
      return "the disk reports an error; check it before going on";
    default:
      return std::string(std::strerror(code)) + "; check the path and the disk";
  }
}

[[noreturn]] void fail_file(const char* action, const fs::path& file, int code) {
  fail("cannot {} {}: {}", action, printable(file.string(), 300), remedy(code));
}

int open_file(const fs::path& file, int flags) {
  int result;
  do result = ::open(file.c_str(), flags | O_CLOEXEC, 0666);
  while (result < 0 && errno == EINTR);
  return result;
}

// Writes everything; returns 0 or the error.
int write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), std::min<std::size_t>(bytes.size(), 1u << 30));
    if (written < 0) {
      if (errno == EINTR) continue;
      return errno;
    }
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

// Temporaries are ".NAME.PID-COUNT.tmp", so that those of dead processes can be told apart.
fs::path temporary_path(const fs::path& target) {
  static std::atomic<unsigned> counter{0};
  return target.parent_path() / fmt::format(".{}.{}-{}.tmp", target.filename().string(), ::getpid(), counter++);
}

// Whether the name is that of a temporary whose process is gone.
bool is_orphan(std::string_view name) {
  constexpr std::string_view suffix = ".tmp";
  if (!name.starts_with('.') || !name.ends_with(suffix)) return false;
  name.remove_suffix(suffix.size());
  const std::size_t dot = name.rfind('.'), dash = name.rfind('-');
  if (dot == 0 || dash == name.npos || dash < dot) return false;
  pid_t pid = 0;
  const char* const end = name.data() + dash;
  const auto [stop, error] = std::from_chars(name.data() + dot + 1, end, pid);
  return error == std::errc() && stop == end && pid > 0 && ::kill(pid, 0) != 0 && errno == ESRCH;
}

void remove_orphans(const fs::path& folder) {
  std::vector<fs::path> orphans;
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied, error), end;
       !error && at != end; at.increment(error))
    if (is_orphan(at->path().filename().string())) orphans.push_back(at->path());
  for (const fs::path& orphan : orphans) fs::remove(orphan, error);
}

class TemporaryFile {
 public:
  explicit TemporaryFile(const fs::path& target) : path_(temporary_path(target)) { ::unlink(path_.c_str()); }
  ~TemporaryFile() {
    if (!kept_) ::unlink(path_.c_str());
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const fs::path& path() const { return path_; }
  // Flushes and renames onto the target, flushing its folder as well.
  void publish(const fs::path& target) {
    {
      const Descriptor written(open_file(path_, O_RDONLY | O_NOFOLLOW));
      if (written < 0 || ::fsync(written) != 0) fail_file("write", target, errno);
    }
    if (::rename(path_.c_str(), target.c_str()) != 0) fail_file("write", target, errno);
    kept_ = true;
    const fs::path folder = target.parent_path().empty() ? fs::path(".") : target.parent_path();
    // A folder that may be written but not read cannot be flushed; its file is whole all the same.
    const Descriptor opened(open_file(folder, O_RDONLY | O_DIRECTORY));
    if (opened >= 0 && ::fsync(opened) != 0 && errno != EINVAL && errno != ENOTSUP) fail_file("write", target, errno);
  }

 private:
  fs::path path_;
  bool kept_ = false;
};

fs::path resolve_target(const fs::path& file) {
  PAIRS_CHECK(file.has_filename(), "cannot write {}: it names no file; add a file name", printable(file.string(), 300));
  std::error_code error;
  fs::path target = file;
  if (fs::is_symlink(fs::symlink_status(file, error))) {
    target = fs::weakly_canonical(file, error);
    if (error) fail_file("write", file, error.value());
  }
  const fs::file_status status = fs::status(target, error);
  if (status.type() == fs::file_type::directory) fail_file("write", file, EISDIR);
  PAIRS_CHECK(!fs::exists(status) || fs::is_regular_file(status),
              "cannot write {}: it is a device or pipe; name a regular file", printable(file.string(), 300));
  return target;
}

}  // namespace

std::string read_file(const fs::path& file, std::uint64_t limit) {
  // Without O_NONBLOCK opening a pipe that nobody writes to would wait for ever.
  const Descriptor opened(open_file(file, O_RDONLY | O_NONBLOCK));
  struct stat status {};
  if (opened < 0 || ::fstat(opened, &status) != 0) fail_file("read", file, errno);
  if (S_ISDIR(status.st_mode)) fail_file("read", file, EISDIR);
  PAIRS_CHECK(S_ISREG(status.st_mode), "cannot read {}: it is a pipe or a device; save what it gives to a file first",
              printable(file.string(), 300));
  std::string bytes;
  const auto check = [&](std::uint64_t size) {
    PAIRS_CHECK(size <= limit, "cannot read {}: it is larger than the {} allowed here; check that it is the right file",
                printable(file.string(), 300), byte_text(limit));
  };
  check(static_cast<std::uint64_t>(status.st_size));
  // A file may grow or shrink meanwhile: read until the end says so.
  std::size_t filled = 0;
  bytes.resize(static_cast<std::size_t>(status.st_size) + 1);
  for (;;) {
    const ssize_t got = ::read(opened, bytes.data() + filled, bytes.size() - filled);
    if (got < 0) {
      if (errno == EINTR) continue;
      fail_file("read", file, errno);
    }
    if (got == 0) break;
    filled += static_cast<std::size_t>(got);
    check(filled);
    if (filled == bytes.size()) bytes.resize(bytes.size() * 2 + 4096);
  }
  bytes.resize(filled);
  return bytes;
}

void write_file(const fs::path& file, std::string_view bytes) {
  write_file_through(file, [&](const fs::path& temporary) {
    const Descriptor opened(open_file(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW));
    if (opened < 0) fail_file("write", file, errno);
    if (const int error = write_all(opened, bytes)) fail_file("write", file, error);
  });
}

void check_writable(const fs::path& file) {
  const TemporaryFile temporary(resolve_target(file));
  const Descriptor opened(open_file(temporary.path(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW));
  if (opened < 0) fail_file("write", file, errno);
}

void write_file_through(const fs::path& file, const std::function<void(const fs::path&)>& write) {
  const fs::path target = resolve_target(file);
  TemporaryFile temporary(target);
  write(temporary.path());
  temporary.publish(target);
}

void append_line(const fs::path& file, std::string_view line) {
  PAIRS_CHECK(line.find('\n') == line.npos, "cannot append to {}: a line must not hold a line break",
              printable(file.string(), 300));
  const Descriptor opened(open_file(file, O_RDWR | O_CREAT | O_APPEND));
  if (opened < 0) fail_file("append to", file, errno);
  off_t end = ::lseek(opened, 0, SEEK_END);
  PAIRS_CHECK(end >= 0 || errno != ESPIPE, "cannot append to {}: it is a pipe or a socket; remove it",
              printable(file.string(), 300));
  if (end < 0) fail_file("append to", file, errno);
  char last = '\n';
  const off_t size = end;
  while (end > 0) {
    if (::pread(opened, &last, 1, end - 1) != 1) fail_file("append to", file, errno);
    if (last == '\n') break;
    --end;
  }
  if (end != size && ::ftruncate(opened, end) != 0) fail_file("append to", file, errno);
  const std::string whole = std::string(line) + '\n';
  if (const int error = write_all(opened, whole)) {
    (void)!::ftruncate(opened, end);  // a torn line that stays is dropped by the next append
    fail_file("append to", file, error);
  }
}

std::uint64_t free_disk_bytes(const fs::path& path) {
  std::error_code error;
  fs::path place = fs::absolute(path, error);
  while (!place.empty() && !fs::exists(place, error) && place != place.parent_path()) place = place.parent_path();
  struct statvfs status {};
  if (::statvfs(place.c_str(), &status) != 0) fail_file("measure the free space of", path, errno);
  return static_cast<std::uint64_t>(status.f_bavail) * status.f_frsize;
}

FolderLock::FolderLock(const fs::path& folder) {
  const fs::path file = folder / ".lock";
  descriptor_ = open_file(file, O_RDWR | O_CREAT);
  if (descriptor_ < 0) fail_file("lock", folder, errno);
  int taken = ::flock(descriptor_, LOCK_EX | LOCK_NB);
  // is_locked() may be looking just now.
  for (int i = 0; i < 4 && taken != 0 && errno == EWOULDBLOCK; ++i) {
    ::usleep(5000);
    taken = ::flock(descriptor_, LOCK_EX | LOCK_NB);
  }
  if (taken != 0) {
    const int error = errno;
    char holder[32] = {};
    if (::pread(descriptor_, holder, sizeof holder - 1, 0) <= 0) holder[0] = '\0';
    ::close(std::exchange(descriptor_, -1));
    if (error != EWOULDBLOCK) fail_file("lock", folder, error);
    const std::string who = std::strspn(holder, "0123456789") > 0
                                ? fmt::format("process {}", std::strtoull(holder, nullptr, 10))
                                : std::string("another process");
    fail("{} is in use by {}; wait until it ends or stop it", printable(folder.string(), 300), who);
  }
  // The number only helps the message above; a disk too full to hold it does not spoil the lock.
  const std::string self = fmt::format("{}\n", ::getpid());
  if (::ftruncate(descriptor_, 0) == 0) (void)!::pwrite(descriptor_, self.data(), self.size(), 0);
  remove_orphans(folder);
}

FolderLock::~FolderLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

bool is_locked(const fs::path& folder) {
  const Descriptor lock(::open((folder / ".lock").c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status {};
  return lock >= 0 && ::fstat(lock, &status) == 0 && S_ISREG(status.st_mode) && ::flock(lock, LOCK_SH | LOCK_NB) != 0 &&
         errno == EWOULDBLOCK;
}

std::uint32_t checksum(std::string_view bytes, std::uint32_t previous) {
  return static_cast<std::uint32_t>(
      ::crc32_z(previous, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()));
}

fs::path program_folder() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (error) fail_file("find the program through", "/proc/self/exe", error.value());
  return program.parent_path();
}

fs::path assets_folder() {
  std::error_code error;
  if (const char* named = std::getenv("PAIRS_ASSETS"); named && *named) {
    PAIRS_CHECK(fs::is_directory(named, error),
                "PAIRS_ASSETS names {}, which is not a folder; point it at the folder of presets and weights",
                printable(named, 300));
    return named;
  }
  const fs::path folder = program_folder();
  const fs::path installed = folder.parent_path() / "share" / "pairs-studio";
  if (fs::is_directory(installed, error)) return installed;
  // A build folder knows its source tree.
  constexpr std::string_view key = "CMAKE_HOME_DIRECTORY:INTERNAL=";
  for (fs::path at = folder; at.has_relative_path(); at = at.parent_path()) {
    std::ifstream cache(at / "CMakeCache.txt");
    for (std::string line; std::getline(cache, line);) {
      if (!line.starts_with(key)) continue;
      const fs::path source = fs::path(line.substr(key.size())) / "assets";
      if (fs::is_directory(source, error)) return source;
    }
  }
  fail("presets and weights were found neither in {} nor in a source tree above {}; reinstall, or set PAIRS_ASSETS",
       printable(installed.string(), 300), printable(folder.string(), 300));
}

}  // namespace pairs
