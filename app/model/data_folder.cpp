#include "app/model/data_folder.h"

#include <fmt/format.h>

#include <mutex>
#include <utility>

#include "app/model/studio.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/base/threads/latest_worker.h"

namespace pairs::model {

std::string real_data_of(const TaskCatalog& tasks, const std::string& task) {
  const DataSet* set = tasks.data_set_of(task);
  return set ? set->name : "";
}

std::string real_data_layout_of(const TaskCatalog& tasks, const std::string& task) {
  const DataSet* set = tasks.data_set_of(task);
  return set ? set->layout : "";
}

void DataFolder::use(const std::string& task, const std::filesystem::path& folder) {
  folder_.name(folder, [tasks = hub_.tasks, task](const std::filesystem::path& named) -> std::string {
    tasks->make(task, {named.string()});
    // Some tasks work without missing data.
    const DataSet* set = tasks->data_set_of(task);
    const std::string problem = set ? set->find(named.string()).problem : "";
    if (problem.empty()) return "";
    return fmt::format("{} holds nothing for this task: {}", printable(named.string(), 300), problem);
  });
}

DataNotice data_notice(const Studio& studio) {
  const RunEntry* run = studio.library.find(studio.run());
  if (!run || run->task != studio.task() || !run->other_data()) return {};
  DataNotice notice;
  notice.sentence =
      fmt::format("{} was trained on {}, and what is drawn here is {}: posteriors and scores may be wrong.", run->name,
                  run->trained_on, run->data_here);
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
