#include "app/model/train/studies.h"

#include <signal.h>

#include <algorithm>

#include "app/studies/study_presence.h"
#include "app/studies/study_results.h"
#include "app/studies/study_worker.h"
#include "core/base/error.h"
#include "core/base/files.h"

namespace pairs::model {
namespace {

namespace fs = std::filesystem;

constexpr double kBetweenLooks = 3;  // seconds
constexpr double kGrace = 60;

// The study's own file, by which its folder is called; what it was run with where that is gone.
fs::path file_of(const fs::path& folder) {
  const fs::path own = folder / (folder.filename().string() + ".toml");
  return fs::exists(own) ? own : folder / kStudyCopy;
}

StudyEntry read_entry(const Catalogue& tasks, const std::string& data, const fs::path& folder) {
  StudyEntry entry;
  entry.name = folder.filename().string();
  entry.folder = folder;
  entry.processes = working_processes(folder);
  try {
    StudyOptions options;
    options.data = data;
    options.open_task = [&](const std::string& file) { return tasks->open(file); };
    const std::vector<StudyRun> runs = study_runs(tasks, read_study(file_of(folder)), options);
    Claims claims(claims_folder(folder), kGrace);
    claims.scan();
    const std::vector<StudyStatus> status = study_status(folder, runs, claims);
    for (std::size_t k = 0; k < runs.size(); ++k) {
      if (status[k].state == StudyState::planned) continue;
      ++entry.all;
      entry.done += status[k].state == StudyState::done;
      entry.failed += status[k].state == StudyState::failed;
      if (status[k].state == StudyState::running) entry.now.push_back(runs[k].name);
    }
  } catch (const std::exception& error) {
    entry.problem = sentence(error);
  }
  return entry;
}

}  // namespace

std::unique_ptr<StudyForm> Studies::form(const Draft& draft) const {
  return std::make_unique<StudyForm>(hub_.tasks, draft, hub_.runs_folder, hub_.data_folder.string(), program);
}

std::shared_ptr<const std::vector<StudyEntry>> Studies::shown() {
  if (!looked_.waits() && (due_ || since_.seconds() > kBetweenLooks)) {
    due_ = false;
    since_.restart();
    looked_.ask([tasks = hub_.tasks, runs = hub_.runs_folder, data = hub_.data_folder.string()](const auto& stale) {
      auto all = std::make_shared<std::vector<StudyEntry>>();
      std::error_code error;
      for (const fs::directory_entry& entry : fs::directory_iterator(runs, error)) {
        if (stale()) throw Stopped();
        if (!fs::exists(entry.path() / kStudyCopy) && !fs::exists(file_of(entry.path()))) continue;
        StudyEntry study = read_entry(tasks, data, entry.path());
        if (!study.finished() || !study.processes.empty()) all->push_back(std::move(study));
      }
      std::sort(all->begin(), all->end(), [](const auto& a, const auto& b) { return a.name < b.name; });
      return all;
    });
  }
  return looked_.last();
}

void Studies::stop(const StudyEntry& study) {
  for (const pid_t process : study.processes) ::kill(process, SIGTERM);
  due_ = true;
}

void Studies::go_on(const StudyEntry& study) {
  start_study(program, file_of(study.folder), study.folder, 1, hub_.data_folder.string());
  due_ = true;
}

}  // namespace pairs::model
