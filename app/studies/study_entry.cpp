#include "app/studies/study_entry.h"

#include "app/studies/study_results.h"
#include "app/studies/study_worker.h"
#include "core/base/system/presence.h"
#include "core/base/text/error.h"

namespace pairs {
namespace {

constexpr double kEntryGrace = 60;

}  // namespace

bool is_study_folder(const std::filesystem::path& folder) {
  std::error_code error;
  return std::filesystem::exists(file_of_study(folder), error);
}

std::filesystem::path file_of_study(const std::filesystem::path& folder) {
  const std::filesystem::path own = folder / (folder.filename().string() + ".toml");
  std::error_code error;
  return std::filesystem::exists(own, error) ? own : folder / kStudyCopy;
}

std::vector<StudyRun> runs_of_study(const Catalog& tasks, const std::string& data,
                                    const std::filesystem::path& folder) {
  StudyOptions options;
  options.data = data;
  options.open_task = [&](const std::string& file) { return tasks->open(file); };
  return study_runs(tasks, read_study(file_of_study(folder)), options);
}

StudyEntry read_study_entry(const Catalog& tasks, const std::string& data, const std::filesystem::path& folder) {
  StudyEntry entry;
  entry.name = folder.filename().string();
  entry.folder = folder;
  entry.processes = processes_present(workers_folder(folder));
  try {
    const std::vector<StudyRun> runs = runs_of_study(tasks, data, folder);
    Claims claims(claims_folder(folder), kEntryGrace);
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

}  // namespace pairs
