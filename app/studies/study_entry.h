#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

#include "app/studies/study_runs.h"
#include "tasks/catalog.h"

namespace pairs {

// The progress of a study on disk.
struct StudyEntry {
  std::string name;  // name of its folder
  std::filesystem::path folder;
  std::size_t done = 0, failed = 0, all = 0;
  std::vector<std::string> now = {};  // runs in training
  std::vector<pid_t> processes = {};  // on this machine that work on it
  std::string problem = {};           // why it is unreadable
  bool finished() const { return all > 0 && done + failed == all; }
};

// Whether the folder holds a study.
bool is_study_folder(const std::filesystem::path& folder);
// The study's own file, which names its folder; if that is missing, the copy of what was run.
std::filesystem::path file_of_study(const std::filesystem::path& folder);
// The runs of the study in a folder. `data`: the folder of real data, "": none. Throws Error.
std::vector<StudyRun> runs_of_study(const Catalog& tasks, const std::string& data, const std::filesystem::path& folder);
// Reads its progress. Never throws: errors become the entry's problem.
StudyEntry read_study_entry(const Catalog& tasks, const std::string& data, const std::filesystem::path& folder);

}  // namespace pairs
