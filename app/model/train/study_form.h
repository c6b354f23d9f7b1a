#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "app/model/train/draft.h"
#include "app/studies/study_runs.h"
#include "tasks/catalog.h"

namespace pairs::model {

// A study made from the draft of a new run: its task, preset and changed settings, with several strategies and seeds
// and, optionally, several values of some settings. Varies the draft's fields that hold several values; in that case,
// it starts with only the draft's strategy and seed.
class StudyForm {
 public:
  // `program`: runs studies (`pairs`).
  StudyForm(Catalog tasks, const Draft& draft, std::filesystem::path runs_folder, std::string data_folder,
            std::filesystem::path program);

  std::string name;  // name of its folder in the folder of runs
  std::set<std::string> strategies = {"pairs", "n1"};
  std::string seeds = "3", processes = "1";  // as typed; processes: number that run in parallel
  std::int64_t first_seed = 1;
  // The settings that are varied, with comma-separated values.
  struct Varied {
    std::string key, values;
  };
  std::vector<Varied> varied = {};

  // Settings that can be varied: those of the draft that hold one number or word.
  struct Choice {
    std::string key, title;
  };
  const std::vector<Choice>& choices() const { return choices_; }

  // The keys of the draft's fields with several values.
  const std::vector<std::string>& swept() const { return swept_; }
  // The typed number; 0 if it is not a whole number.
  std::int64_t seed_count() const;
  std::int64_t process_count() const;

  // The text of its file, and the text without the title, which does not affect training.
  std::string text() const;
  std::string body() const;
  // Why it cannot be started, as a sentence; "" if it can. Rebuilds its runs after changes.
  const std::string& problem();
  // Its runs, as of the last problem().
  const std::vector<StudyRun>& runs() const { return runs_; }
  std::filesystem::path folder() const { return runs_folder_ / name; }
  const std::string& data_folder() const { return data_folder_; }
  std::filesystem::path file() const { return folder() / (name + ".toml"); }
  // Writes its file. Throws Error.
  void write() const;
  // Writes its file and starts a process that trains it and survives this program; returns the process number. Throws
  // Error.
  pid_t start() const;

 private:
  std::string problem_now();
  std::string wrong_values() const;
  std::string title_of(const std::string& key) const;

  Catalog tasks_;
  std::filesystem::path runs_folder_, program_;
  std::string data_folder_, task_, title_, preset_;
  std::vector<std::pair<std::string, std::string>> set_;  // changed settings of the draft, with values as TOML
  std::vector<std::string> swept_;
  std::vector<Choice> choices_;
  std::string checked_, problem_;  // the text and folder checked last, and their problem
  std::vector<StudyRun> runs_;
};

// Starts `pairs --batch study` on a study's file in its own process, which survives this program, and stores the number
// of processes with the study. Returns the process number.
pid_t start_study(const std::filesystem::path& program, const std::filesystem::path& file,
                  const std::filesystem::path& folder, std::int64_t processes, const std::string& data_folder);

// The log of such a process.
std::filesystem::path log_of_study(const std::filesystem::path& folder);
// The number of processes with which a study was last started; 1 if unknown.
std::int64_t processes_of_study(const std::filesystem::path& folder);

}  // namespace pairs::model
