#include "app/model/library/own_tasks.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/base/threads/interruption.h"
#include "core/base/threads/latest_worker.h"
#include "core/base/threads/priority.h"
#include "core/train/run/run.h"
#include "tasks/file_facts.h"

namespace pairs::model {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kBetweenChecks(2);

// The canonical path of the task file.
fs::path file_meant(const fs::path& named) {
  std::error_code error;
  const fs::path file = fs::is_directory(named, error) ? named / run_file::task : named;
  return fs::absolute(file, error).lexically_normal();
}

}  // namespace

// Reads files in the order of the requests, and checks periodically whether files in use have changed.
class OwnTasks::Reader {
 public:
  explicit Reader(Hub& hub)
      : tasks_(hub.tasks), wake_(hub.wake), thread_([this](std::stop_token token) { loop(token); }) {}

  // `agreed`: the command that the user has seen and permitted; "": none.
  void read(const fs::path& file, const std::string& agreed) {
    {
      const std::lock_guard lock(mutex_);
      std::erase_if(wanted_, [&](const auto& wish) { return wish.first == file; });
      wanted_.emplace_back(file, agreed);
    }
    asked_.notify_all();
  }
  bool busy() const {
    const std::lock_guard lock(mutex_);
    return reading_ || !wanted_.empty() || !read_.empty();
  }
  std::vector<OwnTask> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(read_, {});
  }
  // Names of tasks whose files have changed since they were read.
  std::vector<std::string> take_changed() {
    const std::lock_guard lock(mutex_);
    return std::exchange(changed_, {});
  }

 private:
  void loop(std::stop_token token) {
    lower_priority(2);
    const Interruptible interruptible([token] { return token.stop_requested(); });
    std::set<std::string> in_use, reported;  // names
    while (!token.stop_requested()) {
      std::optional<std::pair<fs::path, std::string>> wish;
      {
        std::unique_lock lock(mutex_);
        asked_.wait_for(lock, token, kBetweenChecks, [this] { return !wanted_.empty(); });
        if (token.stop_requested()) return;
        if (!wanted_.empty()) {
          wish = wanted_.front();
          wanted_.pop_front();
          reading_ = true;
        }
      }
      if (!wish) {
        for (const std::string& name : in_use)
          if (!reported.contains(name) && tasks_->file_changed(name)) {
            reported.insert(name);
            const std::lock_guard lock(mutex_);
            changed_.push_back(name);
            wake_();
          }
        continue;
      }
      OwnTask task;
      try {
        task = opened(wish->first, wish->second);
      } catch (const Stopped&) {
        return;
      }
      if (task.state == OwnState::ready) {
        in_use.insert(task.said.name);
        reported.erase(task.said.name);
      }
      {
        const std::lock_guard lock(mutex_);
        reading_ = false;
        read_.push_back(std::move(task));
      }
      wake_();
    }
  }

  OwnTask opened(const fs::path& file, const std::string& agreed) {
    OwnTask task;
    task.file = file;
    try {
      task.said = tasks_->describe(file);
      // Another command than the permitted one needs new permission.
      if (!task.said.agreed && task.said.command == agreed) {
        allow_task_file(file);
        task.said.agreed = true;
      }
      if (task.said.agreed) {
        // Its program may have changed: its running process is ended and started anew.
        tasks_->renew(file);
        // The task is made before its name refers to it, so that no caller waits for it.
        tasks_->make(task.said.name, {.file = file.string()});
        tasks_->make(tasks_->open(file));
      }
      task.state = task.said.agreed ? OwnState::ready : OwnState::asks;
    } catch (const Stopped&) {
      throw;
    } catch (const std::exception& error) {
      task.state = OwnState::failed;
      task.problem = sentence(error);
    }
    return task;
  }

  const Catalog tasks_;
  std::function<void()> wake_;
  mutable std::mutex mutex_;
  std::condition_variable_any asked_;
  std::deque<std::pair<fs::path, std::string>> wanted_;  // files, and the permitted commands
  bool reading_ = false;
  std::vector<OwnTask> read_;
  std::vector<std::string> changed_;
  std::jthread thread_;
};

std::string OwnTask::title() const {
  if (!said.title.empty()) return said.title;
  return file.filename() == run_file::task ? file.parent_path().filename().string() : file.filename().string();
}

std::string OwnTask::note() const {
  if (state == OwnState::opening) return "being opened";
  if (state == OwnState::asks) return "asks to run a program";
  if (state == OwnState::failed) return "cannot be used";
  return changed ? "its file or program has changed" : "";
}

OwnTasks::OwnTasks(Hub& hub) : hub_(hub) {}
OwnTasks::~OwnTasks() = default;

OwnTask* OwnTasks::at(const fs::path& file) {
  const auto found = std::find_if(all_.begin(), all_.end(), [&](const OwnTask& task) { return task.file == file; });
  return found == all_.end() ? nullptr : &*found;
}

const OwnTask* OwnTasks::find(const fs::path& file) const {
  const fs::path meant = file_meant(file);
  const auto found = std::find_if(all_.begin(), all_.end(), [&](const OwnTask& task) { return task.file == meant; });
  return found == all_.end() ? nullptr : &*found;
}

const OwnTask* OwnTasks::ready(const std::string& name) const {
  for (const OwnTask& task : all_)
    if (task.state == OwnState::ready && task.said.name == name) return &task;
  return nullptr;
}

const OwnTask* OwnTasks::asking() const {
  const OwnTask* task = awaited_.empty() ? nullptr : find(awaited_);
  return task && task->state == OwnState::asks ? task : nullptr;
}

const OwnTask* OwnTasks::take_awaited() {
  const OwnTask* task = awaited_.empty() ? nullptr : find(awaited_);
  if (!task || task->state != OwnState::ready) return nullptr;
  awaited_.clear();
  return task;
}

void OwnTasks::read(const fs::path& file, bool agreed) {
  OwnTask& task = *at(file);
  task.state = OwnState::opening;
  task.problem.clear();
  changed_ = true;
  if (!reader_) reader_ = std::make_unique<Reader>(hub_);
  reader_->read(file, agreed ? task.said.command : "");
}

void OwnTasks::open(const fs::path& named, bool awaited) {
  const fs::path file = file_meant(named);
  if (!at(file)) all_.emplace_back().file = file;
  if (awaited) awaited_ = file;
  read(file, false);
}

void OwnTasks::agree(const fs::path& named) {
  const fs::path file = file_meant(named);
  if (const OwnTask* task = at(file); task && task->state == OwnState::asks) read(file, true);
}

void OwnTasks::decline(const fs::path& named) {
  if (awaited_ == file_meant(named)) awaited_.clear();
}

void OwnTasks::forget(const fs::path& named) {
  const fs::path file = file_meant(named);
  std::erase_if(all_, [&](const OwnTask& task) { return task.file == file; });
  decline(file);
  changed_ = true;
}

bool OwnTasks::poll() {
  bool changed = std::exchange(changed_, false);
  if (!reader_) return changed;
  for (OwnTask& news : reader_->take()) {
    OwnTask* task = at(news.file);
    if (!task) continue;  // removed from the list in the meantime
    *task = std::move(news);
    changed = true;
    if (task->state == OwnState::failed) {
      failed_ = failed_ || awaited_ == task->file;
      decline(task->file);
      hub_.messages.error("task", task->problem);
    }
    if (task->state != OwnState::ready) continue;
    const std::string name = task->said.name;
    const fs::path file = task->file;
    const auto other = std::find_if(all_.begin(), all_.end(), [&](const OwnTask& known) {
      return known.file != file && known.state == OwnState::ready && known.said.name == name && !known.of_run();
    });
    if (task->of_run()) {
      // A run whose task file is open needs no copy of the task.
      if (other == all_.end()) continue;
      if (awaited_ == file) awaited_ = other->file;
      std::erase_if(all_, [&](const OwnTask& known) { return known.file == file; });
      continue;
    }
    if (other != all_.end()) {
      other->state = OwnState::failed;
      other->problem = fmt::format("The name {} stands for {} now; give one of the two another name, and open it again",
                                   name, printable(file.string(), 300));
    }
    std::erase_if(all_, [&](const OwnTask& known) { return known.of_run() && known.said.name == name; });
  }
  for (const std::string& name : reader_->take_changed())
    for (OwnTask& task : all_)
      if (task.said.name == name && task.state == OwnState::ready && !task.of_run()) {
        task.changed = changed = true;
        hub_.messages.warning(
            "task",
            fmt::format("{} has changed, or is gone; open it again to use its new content, which begins new runs",
                        printable(task.file.string(), 300)));
      }
  return changed;
}

bool OwnTasks::busy() const {
  return reader_ && reader_->busy();
}

}  // namespace pairs::model
