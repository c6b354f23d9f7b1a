#include "tasks/own/own_tasks.h"

#include <algorithm>
#include <map>
#include <mutex>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text.h"
#include "tasks/own/permission.h"
#include "tasks/own/simulated_task.h"

namespace pairs::own {
namespace {

namespace fs = std::filesystem;

// Tasks by file, with the text that they were made of, and the file that each name stands for.
struct Opened {
  std::mutex mutex;
  std::vector<std::string> names;
  std::map<std::string, std::string> files;  // by name
  struct Made {
    std::string text;
    TaskFile file;
    std::shared_ptr<const Task> task;
  };
  std::map<std::string, Made> made;  // by file
};

Opened& opened() {
  static Opened all;
  return all;
}

std::string key_of(const fs::path& file) {
  return fs::absolute(file).lexically_normal().string();
}

// A copy in a run's folder keeps what was measured; a person's own is measured once, in this process.
std::shared_ptr<const Task> make(const TaskFile& file) {
  if (file.simulations)
    fail_usage("{}: this program reads no [simulations] yet; give a [simulator]", printable(file.file.string(), 300));
  return make_simulated_task(file);
}

std::shared_ptr<const Task> task_of(const std::string& named) {
  const TaskFile file = read_task_file(named);
  const std::string key = key_of(file.file), text = copy_text(file);
  Opened& all = opened();
  {
    const std::lock_guard lock(all.mutex);
    const auto at = all.made.find(key);
    if (at != all.made.end() && at->second.text == text) return at->second.task;
  }
  // Outside of the lock: it may start the program, which takes a while.
  std::shared_ptr<const Task> task = make(file);
  const std::lock_guard lock(all.mutex);
  all.made[key] = {text, file, task};
  return task;
}

}  // namespace

std::string open_task(const fs::path& named, const std::vector<std::string>& built_in) {
  const TaskFile file = read_task_file(named);
  const std::string& name = file.info.name;
  if (std::find(built_in.begin(), built_in.end(), name) != built_in.end())
    fail_usage("{}: the name '{}' is that of a built-in task; choose another", printable(file.file.string(), 300),
               name);
  Opened& all = opened();
  const std::lock_guard lock(all.mutex);
  if (!all.files.contains(name)) all.names.push_back(name);
  all.files[name] = file.file.string();
  return name;
}

std::vector<std::string> opened_names() {
  Opened& all = opened();
  const std::lock_guard lock(all.mutex);
  return all.names;
}

std::shared_ptr<const Task> make_task(const std::string& name, const std::string& file) {
  std::string named = file;
  if (named.empty()) {
    Opened& all = opened();
    const std::lock_guard lock(all.mutex);
    const auto at = all.files.find(name);
    if (at == all.files.end()) return nullptr;
    named = at->second;
  }
  std::shared_ptr<const Task> task = task_of(named);
  if (task->info().name != name)
    fail_usage("{} describes the task '{}', not '{}'", printable(named, 300), task->info().name, printable(name));
  return task;
}

std::string recorded_text(const fs::path& named) {
  TaskFile file = read_task_file(named);
  file.info = task_of(named)->info();
  return copy_text(file);
}

std::string changed_since(const fs::path& copy) {
  const TaskFile kept = read_task_file(copy);
  std::error_code error;
  if (!fs::exists(kept.origin, error)) return "";
  const TaskFile now = read_task_file(kept.origin);
  const std::string changed = changed_line(kept.text, now.text);
  return changed.empty() ? "" : fmt::format("{}, {}", printable(kept.origin.string(), 300), changed);
}

void allow_program(const fs::path& file) {
  allow(read_task_file(file));
}

}  // namespace pairs::own
