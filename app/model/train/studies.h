#pragma once

#include <sys/types.h>

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/model/hub/hub.h"
#include "app/model/train/study_form.h"
#include "core/base/clock.h"
#include "core/base/latest.h"

namespace pairs::model {

// A study in the folder of runs.
struct StudyEntry {
  std::string name;  // of its folder
  std::filesystem::path folder;
  std::size_t done = 0, failed = 0, all = 0;
  std::vector<std::string> now = {};  // runs that are trained at this moment
  std::vector<pid_t> processes = {};  // of this machine that work on it
  std::string problem = {};           // why it cannot be read
  bool finished() const { return all > 0 && done + failed == all; }
};

// The studies in the folder of runs, looked at every few seconds in the background while they are shown.
class Studies {
 public:
  explicit Studies(Hub& hub) : hub_(hub), looked_([this] { hub_.wake(); }) {}

  // What does studies: this program.
  std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe");

  // A form for a new study of the draft's task.
  std::unique_ptr<StudyForm> form(const Draft& draft) const;

  // Those that are not finished, or are worked on; null before the first look.
  std::shared_ptr<const std::vector<StudyEntry>> shown();
  bool poll() { return looked_.take() != nullptr; }
  // Asks the processes that work on it to save and leave.
  void stop(const StudyEntry& study);
  // Starts a process that goes on with it. Throws Error.
  void go_on(const StudyEntry& study);
  // Looks again at once.
  void look() { due_ = true; }

 private:
  Hub& hub_;
  bool due_ = true;
  Stopwatch since_;
  Latest<std::vector<StudyEntry>> looked_;
};

}  // namespace pairs::model
