#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "app/model/hub/hub.h"
#include "app/model/train/study_form.h"
#include "app/model/train/study_needs.h"
#include "app/studies/study_entry.h"
#include "core/base/threads/clock.h"
#include "core/base/threads/latest.h"

namespace pairs::model {

// The studies in the folder of runs, read in the background every few seconds while they are shown.
class Studies {
 public:
  explicit Studies(Hub& hub) : needs([this] { hub_.wake(); }), hub_(hub), looked_([this] { hub_.wake(); }) {}

  // The needs of the study that is being drafted.
  StudyNeeds needs;

  // The program that runs studies: this one.
  std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe");

  // A form for a new study of the draft's task.
  std::unique_ptr<StudyForm> form(const Draft& draft) const;

  // Unfinished studies and those that are being worked on; null before the first read.
  std::shared_ptr<const std::vector<StudyEntry>> shown();
  // Takes over the last read, and continues reading while processes work, so that their end is reported. Returns
  // whether something is new.
  bool poll();
  // Asks the processes that work on the study to save and exit.
  void stop(const StudyEntry& study);
  // Starts a process that resumes it, with the last number of processes. Throws Error.
  void go_on(const StudyEntry& study);
  // Starts the study of a form. Throws Error.
  void start(const StudyForm& form);
  // Whether a process was started for it here and has not shown up yet.
  bool starting(const StudyEntry& study) const;
  // Rereads at once.
  void look() { due_ = true; }

 private:
  struct Looked {
    std::vector<StudyEntry> shown;
    std::vector<StudyEntry> ended;  // studies that were worked on at the last read
  };
  void ask();
  void report_ends(const Looked& looked);
  void follow_started(const Looked& looked);

  Hub& hub_;
  bool due_ = true;
  Stopwatch since_;
  std::set<std::string> stopped_;  // names of studies that the user stopped
  // A process that was started here and has not shown up yet.
  struct Started {
    pid_t process = 0;
    Stopwatch since = {};
    bool ended = false;
  };
  std::map<std::string, Started> started_;  // by name
  Latest<Looked> looked_;
};

}  // namespace pairs::model
