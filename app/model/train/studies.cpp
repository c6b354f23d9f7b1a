#include "app/model/train/studies.h"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/base/text.h"

namespace pairs::model {
namespace {

namespace fs = std::filesystem;

constexpr double kBetweenLooks = 3;  // seconds

}  // namespace

std::unique_ptr<StudyForm> Studies::form(const Draft& draft) const {
  return std::make_unique<StudyForm>(hub_.tasks, draft, hub_.runs_folder, hub_.data_folder.string(), program);
}

void Studies::ask() {
  if (looked_.waits() || (!due_ && since_.seconds() <= kBetweenLooks)) return;
  due_ = false;
  since_.restart();
  const auto job = [tasks = hub_.tasks, runs = hub_.runs_folder, data = hub_.data_folder.string(),
                    last = looked_.last()](const auto& stale) {
    auto looked = std::make_shared<Looked>();
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator(runs, error)) {
      if (stale()) throw Stopped();
      if (!is_study_folder(entry.path())) continue;
      StudyEntry study = read_study_entry(tasks, data, entry.path());
      const bool worked = last && std::ranges::any_of(last->shown, [&](const StudyEntry& one) {
                            return one.folder == study.folder && !one.processes.empty();
                          });
      if (worked && study.processes.empty()) looked->ended.push_back(study);
      if (!study.finished() || !study.processes.empty()) looked->shown.push_back(std::move(study));
    }
    std::sort(looked->shown.begin(), looked->shown.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
    return looked;
  };
  looked_.ask(job);
}

std::shared_ptr<const std::vector<StudyEntry>> Studies::shown() {
  ask();
  const auto looked = looked_.last();
  return looked ? std::shared_ptr<const std::vector<StudyEntry>>(looked, &looked->shown) : nullptr;
}

void Studies::tell_ends(const Looked& looked) {
  for (const StudyEntry& study : looked.ended) {
    if (stopped_.erase(study.name) > 0) continue;
    std::string text = fmt::format("{} of {} done", study.done, counted(study.all, "run"));
    if (study.failed > 0) text += fmt::format(", {} failed", study.failed);
    hub_.notifier->tell(fmt::format("The study {} has ended", study.name),
                        study.problem.empty() ? text : study.problem);
  }
}

bool Studies::poll() {
  const auto answer = looked_.take();
  if (answer && answer->value) tell_ends(*answer->value);
  const auto last = looked_.last();
  if (last && std::ranges::any_of(last->shown, [](const StudyEntry& one) { return !one.processes.empty(); })) ask();
  return answer != nullptr;
}

void Studies::stop(const StudyEntry& study) {
  for (const pid_t process : study.processes) ::kill(process, SIGTERM);
  stopped_.insert(study.name);
  due_ = true;
}

void Studies::go_on(const StudyEntry& study) {
  start_study(program, file_of_study(study.folder), study.folder, 1, hub_.data_folder.string());
  due_ = true;
}

}  // namespace pairs::model
