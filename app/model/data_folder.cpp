#include "app/model/data_folder.h"

#include <fmt/format.h>

#include <mutex>
#include <utility>

#include "app/model/studio.h"
#include "core/base/error.h"
#include "core/base/latest_worker.h"
#include "core/base/text.h"

namespace pairs::model {

struct DataFolder::State {
  explicit State(Hub& shared) : hub(shared), worker([this](const std::string& text) { refuse(text); }) {}

  Hub& hub;
  bool asked = false;
  mutable std::mutex mutex;
  std::string problem;
  std::optional<std::filesystem::path> found;
  LatestWorker worker;  // last: ends first

  void refuse(const std::string& text) {
    {
      const std::lock_guard lock(mutex);
      problem = text;
    }
    hub.wake();
  }
};

std::string real_data_of(const TaskCatalogue& tasks, const std::string& task) {
  const DataSet* set = tasks.data_set_of(task);
  return set ? set->name : "";
}

std::string real_data_layout_of(const TaskCatalogue& tasks, const std::string& task) {
  const DataSet* set = tasks.data_set_of(task);
  return set ? set->layout : "";
}

DataFolder::DataFolder(Hub& hub) : state_(std::make_unique<State>(hub)) {}
DataFolder::~DataFolder() = default;

void DataFolder::ask() {
  state_->asked = true;
}

bool DataFolder::take_asked() {
  return std::exchange(state_->asked, false);
}

void DataFolder::use(const std::string& task, const std::filesystem::path& folder) {
  {
    const std::lock_guard lock(state_->mutex);
    state_->problem.clear();
    state_->found.reset();
  }
  state_->worker.request([s = state_.get(), task, folder](const LatestWorker::Stale& stale) {
    if (!folder.empty()) {
      s->hub.tasks->make(task, {folder.string()});
      // Some tasks do without what is not there.
      if (const DataSet* set = s->hub.tasks->data_set_of(task))
        if (const std::string problem = set->find(folder.string()).problem; !problem.empty())
          fail_usage("{} holds nothing for this task: {}", printable(folder.string(), 300), problem);
    }
    if (stale()) throw Stopped();
    {
      const std::lock_guard lock(s->mutex);
      s->found = folder;
    }
    s->hub.wake();
  });
}

bool DataFolder::busy() const {
  return state_->worker.busy();
}

std::string DataFolder::problem() const {
  const std::lock_guard lock(state_->mutex);
  return state_->problem;
}

std::optional<std::filesystem::path> DataFolder::take() {
  const std::lock_guard lock(state_->mutex);
  return std::exchange(state_->found, std::nullopt);
}

DataNotice data_notice(const Studio& studio) {
  const RunEntry* run = studio.library.find(studio.run());
  if (!run || run->task != studio.task() || !run->other_data()) return {};
  DataNotice notice;
  notice.sentence = fmt::format("{} learnt from {}, and what is drawn here is {}: posteriors and scores may be wrong.",
                                run->name, run->trained_on, run->data_here);
  const RunEntry* shipped = run->shipped ? nullptr : studio.library.find(run->task);
  if (shipped && !shipped->other_data()) {
    notice.label = "Show the shipped weights";
    notice.action = DataNotice::Action::show_shipped;
  } else if (const std::string name = real_data_of(*studio.hub.tasks, run->task); !name.empty()) {
    notice.label = fmt::format("Use {} of {}…", studio.hub.data_folder.empty() ? "a folder" : "another folder", name);
  }
  return notice;
}

}  // namespace pairs::model
