#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/child_process.h"
#include "core/base/scratch_folder.h"
#include "core/train/events.h"

namespace pairs::batch {

// The variable that tells ranks of one machine in which file they meet: nobody but their user may open it.
inline constexpr const char* kMeetingVariable = "PAIRS_RANKS_MEETING";

// The other ranks of a run on this machine: processes of this program, which end with this one. Each has its share of
// the cores, and from here on this process has the first.
class RankProcesses {
 public:
  // Starts ranks 1 .. `ranks` - 1 of the run in `folder`, which meet in a file of this machine. Throws Error.
  RankProcesses(const std::filesystem::path& folder, Stage until, int ranks, const std::filesystem::path& meeting);
  // Waits a second for those that are left, asks them to stop, and a second later ends those that do not.
  ~RankProcesses();
  RankProcesses(const RankProcesses&) = delete;
  RankProcesses& operator=(const RankProcesses&) = delete;

  // Throws Error where one has ended before they met, with what it said last.
  void check();
  // How one has ended that should not have, in words that begin a sentence, told once the ranks had time to hear of it
  // from itself; "": none has.
  std::string end();

 private:
  // "ended with exit code 2", "was ended by SIGKILL"; "" while it runs.
  std::string end_of(std::size_t k);
  std::string last_words(std::size_t k) const;
  bool all_ended();
  std::filesystem::path log(std::size_t k) const;

  ScratchFolder logs_;
  std::vector<std::unique_ptr<ChildProcess>> processes_;          // of ranks 1, 2, ...
  std::optional<std::chrono::steady_clock::time_point> noticed_;  // when an end was first seen
};

}  // namespace pairs::batch
