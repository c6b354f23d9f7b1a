#pragma once

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
// several seeds and, where a person likes, several values of one setting.
class StudyForm {
 public:
  // `program`: what does studies (`pairs`).
  StudyForm(Catalogue tasks, const Draft& draft, std::filesystem::path runs_folder, std::string data_folder,
            std::filesystem::path program);

  std::string name;  // of its folder, in the folder of runs
  std::set<std::string> strategies = {"pairs", "n1"};
  std::int64_t seeds = 3;
  std::string key = {};        // of the setting that is varied; "": none
  std::string values = {};     // of it, with commas between them
  std::int64_t processes = 1;  // at once

  // Settings that can be varied: the draft's that hold one number or word.
  struct Choice {
    std::string key, title;
  };
  const std::vector<Choice>& choices() const { return choices_; }

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
  // The same, and starts a process that does it, and goes on when this program ends. Throws Error.
  void start() const;

 private:
  std::string problem_now();

  Catalogue tasks_;
  std::filesystem::path runs_folder_, program_;
  std::string data_folder_, task_, title_, preset_;
  std::vector<std::pair<std::string, std::string>> set_;  // changed settings of the draft
  std::vector<Choice> choices_;
  std::string checked_, problem_;  // the text and folder that were looked at last, and what is wrong with them
  std::vector<StudyRun> runs_;
};

// The values that were written into a setting's field where it holds one number: "1, 4, 16" are those of a study that
// varies it. Empty where there is one alone, or where the setting cannot be varied.
std::vector<std::string> swept_values(const Setting& setting);

// Starts `pairs --batch study` on a study's file in a process of its own, which no end of this program ends.
void start_study(const std::filesystem::path& program, const std::filesystem::path& file,
                 const std::filesystem::path& folder, std::int64_t processes, const std::string& data_folder);

}  // namespace pairs::model
