#include "tasks/own/permission.h"

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <mutex>
#include <set>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text.h"
#include "core/base/xdg_folder.h"
#include "tasks/own/task_programs.h"

namespace pairs::own {
namespace {

namespace fs = std::filesystem;

fs::path allowed_folder() {
  const fs::path config = xdg_folder("XDG_CONFIG_HOME", ".config");
  PAIRS_CHECK(!config.empty(), "There is no home folder to keep in what was agreed to; set HOME");
  return config / "pairs-studio" / "allowed";
}

// Whom the person's own file belongs to; who runs this where it is gone, as then nobody else can have changed it.
uid_t owner_of(const TaskFile& task) {
  struct stat status {};
  return ::stat(task.origin.c_str(), &status) == 0 ? status.st_uid : ::getuid();
}

// A task has a file of its own there, which holds path, owner and text.
std::string entry_text(const TaskFile& task) {
  return fmt::format("{}\n{}\n{}", task.origin.string(), owner_of(task), agreed_text(task));
}
fs::path entry_file(const TaskFile& task, const std::string& text) {
  return allowed_folder() / fmt::format("{}-{:08x}-{:x}", task.info.name, checksum(text), text.size());
}

// Of this process, so that a disk is not asked before every batch.
std::mutex& agreed_mutex() {
  static std::mutex mutex;
  return mutex;
}
std::set<std::string>& agreed() {
  static std::set<std::string> all;
  return all;
}

}  // namespace

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
  if (!fs::is_regular_file(fs::symlink_status(file, error)) || fs::file_size(file, error) != text.size() ||
      read_file(file, text.size()) != text)
    return false;
  const std::lock_guard lock(agreed_mutex());
  agreed().insert(text);
  return true;
}

void check_allowed(const TaskFile& task) {
  if (!task.runs_programs() || is_allowed(task)) return;
  const std::string owner = other_owner(task);
  fail_usage(
      "{}{} wants to run the program {} in the folder {}, and nothing was run yet; look at it, and agree once with "
      "--allow, or by opening the file in the window",
      printable(task.origin.string(), 300), owner.empty() ? "" : fmt::format(", which belongs to the user {},", owner),
      command_text(task), printable(task.origin.parent_path().string(), 300));
}

void allow(const TaskFile& task) {
  if (!task.runs_programs() || is_allowed(task)) return;
  const std::string text = entry_text(task);
  const fs::path file = entry_file(task, text);
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  PAIRS_CHECK(!error, "Cannot create {}: {}; what was agreed to is kept there", file.parent_path().string(),
              error.message());
  const fs::file_status there = fs::symlink_status(file, error);
  PAIRS_CHECK(
      !fs::exists(there) || fs::is_regular_file(there),
      "{} is a link, a folder, a pipe or a device, and what was agreed to is kept in a file of that name; remove "
      "it",
      printable(file.string(), 400));
  write_file(file, text);
  const std::lock_guard lock(agreed_mutex());
  agreed().insert(text);
}

}  // namespace pairs::own
