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
#include "core/base/clock.h"
#include "core/base/latest.h"

namespace pairs::model {

// The studies in the folder of runs, looked at every few seconds in the background while they are shown.
class Studies {
 public:
  explicit Studies(Hub& hub) : needs([this] { hub_.wake(); }), hub_(hub), looked_([this] { hub_.wake(); }) {}

  // What the study that is being made takes.
  StudyNeeds needs;

  // What does studies: this program.
  std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe");

  // A form for a new study of the draft's task.
  std::unique_ptr<StudyForm> form(const Draft& draft) const;

  // Those that are not finished, or are worked on; null before the first look.
  std::shared_ptr<const std::vector<StudyEntry>> shown();
  // Takes over what was seen, and looks on while processes work, so that their end is told. True when it is new.
  bool poll();
  // Asks the processes that work on it to save and leave.
  void stop(const StudyEntry& study);
  // Starts a process that goes on with it, with as many as it was started with last. Throws Error.
  void go_on(const StudyEntry& study);
  // Starts the study of a form. Throws Error.
  void start(const StudyForm& form);
  // Whether a process was started for it here that was not seen at work yet.
  bool starting(const StudyEntry& study) const;
  // Looks again at once.
  void look() { due_ = true; }

 private:
  struct Looked {
    std::vector<StudyEntry> shown;
    std::vector<StudyEntry> ended;  // that were worked on at the last look
  };
  void ask();
  void tell_ends(const Looked& looked);
  void follow_started(const Looked& looked);

  Hub& hub_;
  bool due_ = true;
  Stopwatch since_;
  std::set<std::string> stopped_;  // names of those that a person stopped
  // A process that was started here and not seen at work yet.
  struct Started {
    pid_t process = 0;
    Stopwatch since = {};
    bool ended = false;
  };
  std::map<std::string, Started> started_;  // by name
  Latest<Looked> looked_;
};

}  // namespace pairs::model
