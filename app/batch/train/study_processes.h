#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/base/system/child_process.h"

namespace pairs::batch {

// Several processes of this program with the same arguments, each on its share of the cores, which end with this one.
class StudyProcesses {
 public:
  // Starts `count` of them; each writes its output to its file in `logs`. Throws Error.
  StudyProcesses(const std::vector<std::string>& arguments, int count, const std::filesystem::path& logs);
  // Asks the remaining processes to stop, and waits for them.
  ~StudyProcesses();
  StudyProcesses(const StudyProcesses&) = delete;
  StudyProcesses& operator=(const StudyProcesses&) = delete;

  // The number of running processes.
  int left();
  // Asks all to save and exit.
  void stop(int signal);
  // Processes ended by a signal or an exit code above 1, one sentence each.
  const std::vector<std::string>& troubles() const { return troubles_; }

 private:
  std::vector<std::unique_ptr<ChildProcess>> processes_;  // still running
  std::vector<std::string> troubles_;
};

}  // namespace pairs::batch
