#include "core/base/files/files.h"

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
#include <mutex>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

#include "core/base/files/descriptor.h"
#include "core/base/files/scratch_folder.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"

namespace pairs {
namespace fs = std::filesystem;
namespace {

constexpr const char* lock_name = ".lock";

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
    case ELOOP:
      return "it is a symbolic link, which is not followed here; remove it or put the file itself in its place";
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

// Temporary files are named ".NAME.PID-COUNT.tmp", so that those of dead processes can be recognized.
fs::path temporary_path(const fs::path& target) {
  static std::atomic<unsigned> counter{0};
  const std::string name = target.filename().string();
  fs::path path;
  std::error_code error;
  do path = target.parent_path() / fmt::format(".{}.{}-{}.tmp", name, ::getpid(), counter++);
  while (fs::exists(fs::symlink_status(path, error)));
  return path;
}

// NAME if `file` is a temporary file for NAME left by a dead process, else "".
std::string_view left_beside(std::string_view file) {
  constexpr std::string_view suffix = ".tmp";
  if (!file.starts_with('.') || !file.ends_with(suffix)) return "";
  file = file.substr(1, file.size() - 1 - suffix.size());
  const std::size_t dot = file.rfind('.'), dash = file.rfind('-');
  if (dot == file.npos || dash == file.npos || dash < dot) return "";
  pid_t pid = 0;
  unsigned count = 0;
  const auto read = [](std::string_view text, auto& value) {
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && stop == text.data() + text.size();
  };
  const bool named = read(file.substr(dot + 1, dash - dot - 1), pid) && read(file.substr(dash + 1), count) && pid > 0;
  return named && ::kill(pid, 0) != 0 && errno == ESRCH ? file.substr(0, dot) : "";
}

// Removes temporary files for the target that dead processes left.
void remove_left_beside(const fs::path& target) {
  const std::string name = target.filename().string();
  const fs::path folder = target.parent_path().empty() ? fs::path(".") : target.parent_path();
  std::vector<fs::path> left;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    if (left_beside(at->path().filename().string()) == name) left.push_back(at->path());
  for (const fs::path& one : left) fs::remove_all(one, error);
}

class TemporaryFile {
 public:
  explicit TemporaryFile(const fs::path& target) : path_(temporary_path(target)) {
    const std::lock_guard lock(mutex());
    live().insert(path_);
  }
  ~TemporaryFile() {
    const std::lock_guard lock(mutex());
    live().erase(path_);
    std::error_code ignored;
    if (!kept_) fs::remove_all(path_, ignored);
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
    {
      const std::lock_guard lock(mutex());
      if (::rename(path_.c_str(), target.c_str()) != 0) fail_file("write", target, errno);
      kept_ = true;
    }
    const fs::path folder = target.parent_path().empty() ? fs::path(".") : target.parent_path();
    // A folder that may be written but not read cannot be flushed; its file is complete nevertheless.
    const Descriptor opened(open_file(folder, O_RDONLY | O_DIRECTORY));
    if (opened >= 0 && ::fsync(opened) != 0 && errno != EINVAL && errno != ENOTSUP) fail_file("write", target, errno);
  }
  // Renames the temporary folder to `target`; where that folder exists, moves the temporary folder's entries into it.
  void publish_folder(const fs::path& target) {
    const std::lock_guard lock(mutex());
    std::error_code error;
    if (!fs::is_directory(target, error)) {
      if (::rename(path_.c_str(), target.c_str()) != 0) fail_file("write", target, errno);
      kept_ = true;
      return;
    }
    std::vector<fs::path> moved;
    for (const auto& entry : fs::directory_iterator(path_)) {
      const fs::path place = target / entry.path().filename();
      if (::rename(entry.path().c_str(), place.c_str()) == 0) {
        moved.push_back(place);
        continue;
      }
      const int code = errno;
      for (const fs::path& one : moved) fs::remove_all(one, error);
      fail_file("write", place, code);
    }
  }
  static void abandon() {
    mutex().lock();  // forever
    std::error_code ignored;
    for (const fs::path& path : live()) fs::remove_all(path, ignored);
  }

  // Protects the list of temporary files and folders to remove. Never destroyed: a thread may still write while static
  // objects are destroyed.
  static std::mutex& mutex() {
    static auto* const kept = new std::mutex;
    return *kept;
  }
  static std::set<fs::path>& live() {
    static auto* const kept = new std::set<fs::path>;
    return *kept;
  }

 private:
  fs::path path_;
  bool kept_ = false;
};

// Where the last complete line of a file of that size ends; -1 with errno set if it cannot be read.
off_t whole_lines_end(int descriptor, off_t size) {
  std::vector<char> block(64 << 10);
  for (off_t end = size; end > 0;) {
    const auto length = static_cast<std::size_t>(std::min<off_t>(end, static_cast<off_t>(block.size())));
    const off_t first = end - static_cast<off_t>(length);
    if (::pread(descriptor, block.data(), length, first) != static_cast<ssize_t>(length)) return -1;
    for (std::size_t k = length; k > 0; --k)
      if (block[k - 1] == '\n') return first + static_cast<off_t>(k);
    end = first;
  }
  return 0;
}

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

// Whether the path still refers to the open file.
bool is_file_at(int descriptor, const fs::path& path) {
  struct stat held {
  }, there{};
  return ::fstat(descriptor, &held) == 0 && ::lstat(path.c_str(), &there) == 0 && held.st_dev == there.st_dev &&
         held.st_ino == there.st_ino;
}

// The locked file FOLDER/.lock.
int take_lock(const fs::path& folder) {
  const fs::path file = folder / lock_name;
  for (int tries = 0; tries < 10; ++tries) {
    Descriptor lock(open_file(file, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK));
    const int refused = errno;
    struct stat there {};
    PAIRS_CHECK(::lstat(file.c_str(), &there) != 0 || S_ISREG(there.st_mode),
                "cannot lock {}: its {} is a link, a folder, a pipe or a device; remove it",
                printable(folder.string(), 300), lock_name);
    if (lock < 0) fail_file("lock", folder, refused);
    int taken = ::flock(lock, LOCK_EX | LOCK_NB);
    // is_locked() may hold it for a moment.
    for (int i = 0; i < 4 && taken != 0 && errno == EWOULDBLOCK; ++i) {
      ::usleep(5000);
      taken = ::flock(lock, LOCK_EX | LOCK_NB);
    }
    if (taken != 0) {
      if (errno != EWOULDBLOCK) fail_file("lock", folder, errno);
      char holder[32] = {};
      if (::pread(lock, holder, sizeof holder - 1, 0) <= 0) holder[0] = '\0';
      const std::string who = std::strspn(holder, "0123456789") > 0
                                  ? fmt::format("process {}", std::strtoull(holder, nullptr, 10))
                                  : std::string("another process");
      fail("{} is in use by {}; wait until it ends or stop it", printable(folder.string(), 300), who);
    }
    // It may have been removed or replaced before it was locked.
    if (is_file_at(lock, file)) return lock.release();
  }
  fail("cannot lock {}: someone keeps replacing its {}", printable(folder.string(), 300), lock_name);
}

}  // namespace

std::string read_file(const fs::path& file, std::uint64_t limit) {
  // Without O_NONBLOCK, opening a pipe without a writer would block forever.
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
  // A file may grow or shrink meanwhile: read until the end.
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
  const fs::path target = resolve_target(file);
  remove_left_beside(target);
  const TemporaryFile temporary(target);
  const Descriptor opened(open_file(temporary.path(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW));
  if (opened < 0) fail_file("write", file, errno);
}

void write_file_through(const fs::path& file, const std::function<void(const fs::path&)>& write) {
  const fs::path target = resolve_target(file);
  TemporaryFile temporary(target);
  write(temporary.path());
  temporary.publish(target);
}

void write_folder_through(const fs::path& folder, const std::function<void(const fs::path&)>& write) {
  const fs::path target = folder.has_filename() ? folder : folder.parent_path();
  std::error_code error;
  const fs::path extra = fs::is_directory(target, error) ? target / "new" : target;
  remove_left_beside(extra);
  TemporaryFile temporary(extra);
  if (!fs::create_directory(temporary.path(), error)) fail_file("write", target, error.value());
  write(temporary.path());
  temporary.publish_folder(target);
}

ScratchFolder::ScratchFolder() {
  std::error_code error;
  const fs::path parent = fs::temp_directory_path(error);
  std::string name = (parent / "pairs-XXXXXX").string();
  const std::lock_guard lock(TemporaryFile::mutex());
  PAIRS_CHECK(!error && ::mkdtemp(name.data()) != nullptr, "Cannot make a folder in {}: {}; name another with TMPDIR",
              printable(parent.string(), 300), error ? error.message() : std::strerror(errno));
  folder_ = name;
  TemporaryFile::live().insert(folder_);
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
  const std::lock_guard lock(TemporaryFile::mutex());
  TemporaryFile::live().erase(folder_);
}

void abandon_writes() {
  TemporaryFile::abandon();
}

void append_line(const fs::path& file, std::string_view line) {
  PAIRS_CHECK(line.find('\n') == line.npos, "cannot append to {}: a line must not hold a line break",
              printable(file.string(), 300));
  const Descriptor opened(open_file(file, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW));
  if (opened < 0) fail_file("append to", file, errno);
  const off_t size = ::lseek(opened, 0, SEEK_END);
  PAIRS_CHECK(size >= 0 || errno != ESPIPE, "cannot append to {}: it is a pipe or a socket; remove it",
              printable(file.string(), 300));
  const off_t end = size < 0 ? -1 : whole_lines_end(opened, size);
  if (end < 0) fail_file("append to", file, errno);
  if (end != size && ::ftruncate(opened, end) != 0) fail_file("append to", file, errno);
  const std::string whole = std::string(line) + '\n';
  if (const int error = write_all(opened, whole)) {
    (void)!::ftruncate(opened, end);  // if the torn line stays, the next append drops it
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

FolderLock::FolderLock(const fs::path& folder) : folder_(folder), descriptor_(take_lock(folder)) {
  // The number only serves the message above: the lock is valid even if the disk is too full to hold it, and foreign
  // content is kept.
  char before[32];
  const ssize_t held = ::pread(descriptor_, before, sizeof before, 0);
  const std::string_view text(before, held > 0 ? static_cast<std::size_t>(held) : 0);
  const bool own = held < static_cast<ssize_t>(sizeof before) && text.find_first_not_of("0123456789\n") == text.npos;
  const std::string self = fmt::format("{}\n", ::getpid());
  if (held >= 0 && own && ::ftruncate(descriptor_, 0) == 0) (void)!::pwrite(descriptor_, self.data(), self.size(), 0);
}

void FolderLock::check() const {
  PAIRS_CHECK(is_file_at(descriptor_, folder_ / lock_name),
              "{} was moved, replaced or unlocked while this process was at work in it; resume the run where it is now",
              printable(folder_.string(), 300));
}

void FolderLock::remove_leftovers(const std::function<bool(std::string_view)>& ours) const {
  std::vector<fs::path> left;
  std::error_code error;
  for (fs::directory_iterator at(folder_, error), end; !error && at != end; at.increment(error)) {
    const std::string file = at->path().filename().string();
    if (const std::string_view name = left_beside(file); !name.empty() && ours(name)) left.push_back(at->path());
  }
  for (const fs::path& file : left)
    if (fs::is_regular_file(fs::symlink_status(file, error))) fs::remove(file, error);
}

FolderLock::~FolderLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

bool is_locked(const fs::path& folder) {
  const Descriptor lock(::open((folder / lock_name).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW));
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
  // A build folder records its source tree.
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
