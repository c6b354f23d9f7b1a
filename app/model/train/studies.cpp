#include "app/model/train/studies.h"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>

#include "app/model/train/detached.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"

namespace pairs::model {
namespace {

namespace fs = std::filesystem;

constexpr double kBetweenLooks = 3;         // seconds
constexpr double kBetweenFirstLooks = 0.5;  // while one is starting
constexpr double kMostStarting = 120;       // seconds within which a new process must show up

std::string figures_command(const StudyEntry& study) {
  return fmt::format("pairs --batch study {} --out {} --figures", shell_word(file_of_study(study.folder).string()),
                     shell_word(study.folder.string()));
}

}  // namespace

std::unique_ptr<StudyForm> Studies::form(const Draft& draft) const {
  return std::make_unique<StudyForm>(hub_.tasks, draft, hub_.runs_folder, hub_.data_folder.string(), program);
}

void Studies::ask() {
  const double between = started_.empty() ? kBetweenLooks : kBetweenFirstLooks;
  if (looked_.waits() || (!due_ && since_.seconds() <= between)) return;
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

void Studies::report_ends(const Looked& looked) {
  for (const StudyEntry& study : looked.ended) {
    if (stopped_.erase(study.name) > 0) continue;
    std::string text = fmt::format("{} of {} done", study.done, counted(study.all, "run"));
    if (study.failed > 0) text += fmt::format(", {} failed", study.failed);
    if (study.done > 0 && study.finished())
      hub_.messages.info("study", fmt::format("The study {} has ended: {}; its figures: {}", study.name, text,
                                              figures_command(study)));
    else
      hub_.messages.info(
          "study", fmt::format("The study {} has ended: {}", study.name, study.problem.empty() ? text : study.problem));
    hub_.notifier->report(fmt::format("The study {} has ended", study.name),
                          study.problem.empty() ? text : study.problem);
  }
}

// Drops those that have shown up, and reports those that ended before.
void Studies::follow_started(const Looked& looked) {
  std::erase_if(started_, [&](const auto& one) {
    const auto found = std::ranges::find(looked.shown, one.first, &StudyEntry::name);
    const bool at_work = found != looked.shown.end() && !found->processes.empty();
    if (!at_work && one.second.ended && found != looked.shown.end())
      hub_.messages.warning("study", fmt::format("What works on the study {} ended at once; {} holds its output",
                                                 one.first, printable(log_of_study(found->folder).string(), 300)));
    return at_work || one.second.ended || one.second.since.seconds() > kMostStarting;
  });
}

bool Studies::poll() {
  while (const pid_t ended = reap_detached())
    for (auto& [name, one] : started_)
      if (one.process == ended) one.ended = due_ = true;
  const auto answer = looked_.take();
  if (answer && answer->value) {
    follow_started(*answer->value);
    report_ends(*answer->value);
  }
  const auto last = looked_.last();
  if (!started_.empty()) ask();
  if (last && std::ranges::any_of(last->shown, [](const StudyEntry& one) { return !one.processes.empty(); })) ask();
  return answer != nullptr;
}

void Studies::stop(const StudyEntry& study) {
  for (const pid_t process : study.processes) ::kill(process, SIGTERM);
  stopped_.insert(study.name);
  due_ = true;
}

void Studies::go_on(const StudyEntry& study) {
  if (starting(study)) return;
  started_[study.name] = {start_study(program, file_of_study(study.folder), study.folder,
                                      processes_of_study(study.folder), hub_.data_folder.string())};
  due_ = true;
}

void Studies::start(const StudyForm& form) {
  started_[form.name] = {form.start()};
  due_ = true;
}

bool Studies::starting(const StudyEntry& study) const {
  return study.processes.empty() && started_.contains(study.name);
}

}  // namespace pairs::model
