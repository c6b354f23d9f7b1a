#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "core/base/child_process.h"
#include "core/base/scratch_folder.h"
#include "core/train/events.h"

namespace pairs::batch {

// The other ranks of a run on this machine: processes of this program, which end with this one. Each has its share of
// the cores, and from here on this process has the first.
class RankProcesses {
 public:
  // Starts ranks 1 .. `ranks` - 1 of the run in `folder`, which meet at `port` of this machine. Throws Error.
  RankProcesses(const std::filesystem::path& folder, Stage until, int ranks, std::uint16_t port);
  // Waits a second for those that are left, asks them to stop, and a second later ends those that do not.
  ~RankProcesses();
  RankProcesses(const RankProcesses&) = delete;
  RankProcesses& operator=(const RankProcesses&) = delete;

  // Throws Error where one has ended, with what it said last.
  void check();

 private:
  bool all_ended();
  std::filesystem::path log(std::size_t k) const;

  ScratchFolder logs_;
  std::vector<std::unique_ptr<ChildProcess>> processes_;  // of ranks 1, 2, ...
};

}  // namespace pairs::batch
