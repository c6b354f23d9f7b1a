#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "app/model/train/draft.h"
#include "app/studies/study_runs.h"
#include "tasks/catalogue.h"

namespace pairs::model {

// A study that is made of the draft of a new run: its task, preset and changed settings, with several strategies,
// several seeds and, where a person likes, several values of some settings. It varies what the draft's fields hold
// several values of; then it begins with the draft's strategy and seed alone.
class StudyForm {
 public:
  // `program`: what does studies (`pairs`).
  StudyForm(Catalogue tasks, const Draft& draft, std::filesystem::path runs_folder, std::string data_folder,
            std::filesystem::path program);

  std::string name;  // of its folder, in the folder of runs
  std::set<std::string> strategies = {"pairs", "n1"};
  std::string seeds = "3", processes = "1";  // how many, as typed; processes: at once
  std::int64_t first_seed = 1;
  // The settings that are varied, each with its values, with commas between them.
  struct Varied {
    std::string key, values;
  };
  std::vector<Varied> varied = {};

  // Settings that can be varied: the draft's that hold one number or word.
  struct Choice {
    std::string key, title;
  };
  const std::vector<Choice>& choices() const { return choices_; }

  // The keys of those that the draft's fields hold several values of.
  const std::vector<std::string>& swept() const { return swept_; }
  // What was typed, 0 where it is no whole number.
  std::int64_t seed_count() const;
  std::int64_t process_count() const;

  // Its file; and the same without its title, which changes nothing of what it trains.
  std::string text() const;
  std::string body() const;
  // What is wrong with it, a sentence; "" where it can be started. Makes its runs where something has changed.
  const std::string& problem();
  // The runs that it makes, as of problem().
  const std::vector<StudyRun>& runs() const { return runs_; }
  std::filesystem::path folder() const { return runs_folder_ / name; }
  const std::string& data_folder() const { return data_folder_; }
  std::filesystem::path file() const { return folder() / (name + ".toml"); }
  // Writes its file. Throws Error.
  void write() const;
  // The same, and starts a process that does it, and goes on when this program ends; its number. Throws Error.
  pid_t start() const;

 private:
  std::string problem_now();
  std::string wrong_values() const;
  std::string title_of(const std::string& key) const;

  Catalogue tasks_;
  std::filesystem::path runs_folder_, program_;
  std::string data_folder_, task_, title_, preset_;
  std::vector<std::pair<std::string, std::string>> set_;  // changed settings of the draft, their values as TOML
  std::vector<std::string> swept_;
  std::vector<Choice> choices_;
  std::string checked_, problem_;  // the text and folder that were looked at last, and what is wrong with them
  std::vector<StudyRun> runs_;
};

// Starts `pairs --batch study` on a study's file in a process of its own, which no end of this program ends, and writes
// beside the study how many processes it was started with. Gives its number.
pid_t start_study(const std::filesystem::path& program, const std::filesystem::path& file,
                  const std::filesystem::path& folder, std::int64_t processes, const std::string& data_folder);

// What such a process says.
std::filesystem::path log_of_study(const std::filesystem::path& folder);
// How many processes a study was started with last; 1 where that is not known.
std::int64_t processes_of_study(const std::filesystem::path& folder);

}  // namespace pairs::model
