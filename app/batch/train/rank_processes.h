#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/files/scratch_folder.h"
#include "core/base/system/child_process.h"
#include "core/train/events/events.h"

namespace pairs::batch {

// The variable that passes the ranks of one machine their meeting file, which only their user can open.
inline constexpr const char* kMeetingVariable = "PAIRS_RANKS_MEETING";

// The other ranks of a run on this machine: processes of this program, which end with this one. Each gets its share of
// the cores; this process keeps the first share.
class RankProcesses {
 public:
  // Starts ranks 1 .. `ranks` - 1 of the run in `folder`, which meet in a file of this machine. Throws Error.
  RankProcesses(const std::filesystem::path& folder, Stage until, int ranks, const std::filesystem::path& meeting);
  // Waits a second for the remaining processes, asks them to stop, and a second later kills those that have not ended.
  ~RankProcesses();
  RankProcesses(const RankProcesses&) = delete;
  RankProcesses& operator=(const RankProcesses&) = delete;

  // Throws Error with its last output if one ended before they met.
  void check();
  // How a process ended unexpectedly, as the beginning of a sentence, reported only after the ranks had time to receive
  // its own message; "": none has.
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
