#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

#include "app/studies/study_runs.h"
#include "tasks/catalogue.h"

namespace pairs {

// How far a study on disk is.
struct StudyEntry {
  std::string name;  // of its folder
  std::filesystem::path folder;
  std::size_t done = 0, failed = 0, all = 0;
  std::vector<std::string> now = {};  // runs that are trained at this moment
  std::vector<pid_t> processes = {};  // of this machine that work on it
  std::string problem = {};           // why it cannot be read
  bool finished() const { return all > 0 && done + failed == all; }
};

// Whether a study's files lie in the folder.
bool is_study_folder(const std::filesystem::path& folder);
// The study's own file, by which its folder is called; what it was run with where that is gone.
std::filesystem::path file_of_study(const std::filesystem::path& folder);
// The runs of the study in a folder. `data`: the folder of real data, "": none. Throws Error.
std::vector<StudyRun> runs_of_study(const Catalogue& tasks, const std::string& data,
                                    const std::filesystem::path& folder);
// How far it is. Never throws: what is wrong becomes the entry's problem.
StudyEntry read_study_entry(const Catalogue& tasks, const std::string& data, const std::filesystem::path& folder);

}  // namespace pairs
