#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/base/child_process.h"

namespace pairs::batch {

// Several processes of this program with the same arguments, each on its share of the cores, which end with this one.
class StudyProcesses {
 public:
  // Starts `count` of them; what each says goes to its file in `logs`. Throws Error.
  StudyProcesses(const std::vector<std::string>& arguments, int count, const std::filesystem::path& logs);
  // Asks those that are left to stop, and waits for them.
  ~StudyProcesses();
  StudyProcesses(const StudyProcesses&) = delete;
  StudyProcesses& operator=(const StudyProcesses&) = delete;

  // How many have not ended.
  int left();
  // Asks all to save and leave.
  void stop(int signal);
  // Those that a signal or an exit code above 1 ended, a sentence each.
  const std::vector<std::string>& troubles() const { return troubles_; }

 private:
  std::vector<std::unique_ptr<ChildProcess>> processes_;  // that have not ended
  std::vector<std::string> troubles_;
};

}  // namespace pairs::batch
