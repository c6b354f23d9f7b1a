#include "tasks/own/file/permission.h"

#include <fcntl.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <mutex>
#include <set>

#include "core/base/files/descriptor.h"
#include "core/base/files/digest.h"
#include "core/base/files/files.h"
#include "core/base/system/xdg_folder.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "tasks/own/file/task_programs.h"

namespace pairs::own {
namespace {

namespace fs = std::filesystem;

fs::path allowed_folder() {
  const fs::path config = xdg_folder("XDG_CONFIG_HOME", ".config");
  PAIRS_CHECK(!config.empty(), "There is no home folder to keep in what was agreed to; set HOME");
  return config / "pairs-studio" / "allowed";
}

// The owner of the user's own file; the current user if it is gone, because then nobody else can have changed it.
uid_t owner_of(const TaskFile& task) {
  struct stat status {};
  return ::stat(task.origin.c_str(), &status) == 0 ? status.st_uid : ::getuid();
}

// The SHA-256 of a program's file, "none" if there is none. It is recomputed after the file's size or time has changed.
std::string digest_of(const fs::path& file) {
  struct Known {
    std::string stamp, digest;
  };
  static std::mutex mutex;
  static std::map<std::string, Known> known;
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return "none";
  const std::string stamp =
      fmt::format("{} {} {} {}.{} {}.{}", status.st_dev, status.st_ino, status.st_size, status.st_mtim.tv_sec,
                  status.st_mtim.tv_nsec, status.st_ctim.tv_sec, status.st_ctim.tv_nsec);
  const std::lock_guard lock(mutex);
  Known& one = known[file.string()];
  if (one.stamp != stamp) one = {stamp, sha256_of(file)};
  return one.digest;
}

// The entry of a task in its own file there: path, owner, text and the SHA-256 of each file of its programs.
std::string entry_text(const TaskFile& task) {
  std::string text = fmt::format("{}\n{}\n{}", task.origin.string(), owner_of(task), agreed_text(task));
  for (const fs::path& file : own_program_files(task))
    text += fmt::format("\n{}: {}", file.lexically_relative(task.origin.parent_path()).string(), digest_of(file));
  return text;
}
fs::path entry_file(const TaskFile& task, const std::string& text) {
  return allowed_folder() / fmt::format("{}-{:08x}-{:x}", task.info.name, checksum(text), text.size());
}

// Permissions this process has seen, so that the disk is not read before every batch.
std::mutex& agreed_mutex() {
  static std::mutex mutex;
  return mutex;
}
std::set<std::string>& agreed() {
  static std::set<std::string> all;
  return all;
}

}  // namespace

namespace {

// Whether nobody else can write to a place: a permission that others could have given is invalid.
bool is_of_person(const fs::path& place) {
  struct stat status {};
  return ::stat(place.c_str(), &status) == 0 && status.st_uid == ::geteuid() && (status.st_mode & 022) == 0;
}

}  // namespace

std::vector<fs::path> own_program_files(const TaskFile& task) {
  std::vector<fs::path> files;
  const fs::path folder = task.origin.parent_path();
  const auto add = [&](const std::vector<std::string>& command) {
    for (const std::string& word : command) {
      const fs::path named = (folder / word).lexically_normal();
      const fs::path within = named.lexically_relative(folder);
      if (word.starts_with('-') || within.empty() || *within.begin() == "..") continue;  // an option, an interpreter
      std::error_code error;
      if ((named.has_extension() || fs::is_regular_file(named, error)) &&
          std::ranges::find(files, named) == files.end())
        files.push_back(named);
    }
  };
  if (task.simulator) add(task.simulator->command);
  if (task.reader) add(task.reader->command);
  return files;
}

std::string program_state(const TaskFile& task) {
  std::string text;
  for (const fs::path& file : own_program_files(task)) {
    struct stat status {};
    const bool there = ::stat(file.c_str(), &status) == 0;
    text += there ? fmt::format("{} {} {}.{}\n", file.string(), status.st_size, status.st_mtim.tv_sec,
                                status.st_mtim.tv_nsec)
                  : file.string() + " is missing\n";
  }
  return text;
}

std::string other_owner(const TaskFile& task) {
  const uid_t owner = owner_of(task);
  if (owner == ::getuid()) return "";
  const passwd* user = ::getpwuid(owner);
  return user ? user->pw_name : std::to_string(owner);
}

bool is_allowed(const TaskFile& task) {
  const std::string text = entry_text(task);
  {
    const std::lock_guard lock(agreed_mutex());
    if (agreed().contains(text)) return true;
  }
  std::error_code error;
  const fs::path file = entry_file(task, text);
  if (!is_of_person(file.parent_path()) || !is_of_person(file) ||
      !fs::is_regular_file(fs::symlink_status(file, error)) || fs::file_size(file, error) != text.size() ||
      read_file(file, text.size()) != text)
    return false;
  const std::lock_guard lock(agreed_mutex());
  agreed().insert(text);
  return true;
}

void check_allowed(const TaskFile& task) {
  if (!task.runs_programs()) return;
  // A program that is gone with its folder has no files to check.
  const fs::path folder = task.origin.parent_path();
  std::error_code missing;
  PAIRS_CHECK(fs::is_directory(folder, missing), "The program {} cannot run: the folder {} is missing",
              command_text(task), printable(folder.string(), 300));
  if (is_allowed(task)) return;
  const std::string owner = other_owner(task);
  std::string files;
  for (const fs::path& file : own_program_files(task)) {
    std::error_code error;
    if (fs::exists(file, error))
      files +=
          (files.empty() ? "" : ", ") + printable(file.lexically_relative(task.origin.parent_path()).string(), 300);
  }
  fail_usage(
      "{}{} wants to run the program {} in the folder {}, and nothing was run yet{}; look at it, and agree once with "
      "--allow, or by opening the file in the window",
      printable(task.origin.string(), 300), owner.empty() ? "" : fmt::format(", which belongs to the user {},", owner),
      command_text(task), printable(task.origin.parent_path().string(), 300),
      files.empty() ? "" : fmt::format(" since {} stands as it does now", files));
}

namespace {

// Makes the missing folders of permissions, private to the user whatever the umask is: whoever can replace a folder
// could give permissions in the user's place.
void make_private(const fs::path& folder, std::error_code& error) {
  if (!fs::exists(folder.parent_path(), error)) make_private(folder.parent_path(), error);
  if (!error && fs::create_directory(folder, error)) fs::permissions(folder, fs::perms::owner_all, error);
}

}  // namespace

void allow(const TaskFile& task) {
  if (!task.runs_programs() || is_allowed(task)) return;
  const std::string text = entry_text(task);
  const fs::path file = entry_file(task, text);
  std::error_code error;
  make_private(file.parent_path(), error);
  if (!error) fs::permissions(file.parent_path(), fs::perms::owner_all, error);
  // The folder above may exist because of the window's settings.
  if (!error)
    fs::permissions(file.parent_path().parent_path(), fs::perms::group_write | fs::perms::others_write,
                    fs::perm_options::remove, error);
  PAIRS_CHECK(!error, "Cannot create {}: {}; what was agreed to is kept there",
              printable(file.parent_path().string(), 300), error.message());
  const fs::file_status there = fs::symlink_status(file, error);
  PAIRS_CHECK(
      !fs::exists(there) || fs::is_regular_file(there),
      "{} is a link, a folder, a pipe or a device, and what was agreed to is kept in a file of that name; remove "
      "it",
      printable(file.string(), 400));
  write_file_through(file, [&](const fs::path& temporary) {
    const Descriptor opened(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    PAIRS_CHECK(opened >= 0 && ::fchmod(opened, 0600) == 0 &&
                    ::write(opened, text.data(), text.size()) == static_cast<ssize_t>(text.size()),
                "Cannot write {}: {}; what was agreed to is kept there", printable(file.string(), 400),
                std::strerror(errno));
  });
  const std::lock_guard lock(agreed_mutex());
  agreed().insert(text);
}

}  // namespace pairs::own
