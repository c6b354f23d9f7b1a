#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "app/batch/train/rank_processes.h"
#include "app/runs/new_run.h"
#include "core/parallel/launcher.h"
#include "core/parallel/ranks.h"
#include "core/parallel/rendezvous.h"

namespace CLI {
class App;
}

namespace pairs::batch {

// --ranks and --rendezvous, as given.
struct RankOptions {
  std::string ranks, rendezvous;
};
void add_rank_options(CLI::App& app, RankOptions& options);

// The processes that train a run together, including this one: as many as --ranks on this machine, which the first
// starts, or those of a launcher.
class RankTeam {
 public:
  // Reads the options and, if requested, the launcher's variables; the first rank listens from here on. Throws a usage
  // error if they do not define who meets where.
  explicit RankTeam(const RankOptions& options);

  int size() const { return place_.size; }
  bool leads() const { return place_.rank == 0; }

  // Sets defaults of a new run of several ranks: slots, the CPU, and each rank's threads.
  void complete(NewRun& wanted) const;
  // Waits for all ranks, sends the first one's folder to all, and returns it. `named`: the folder in this process's
  // command, or "". Does nothing with a single rank. Throws Error if ranks of a launcher name different folders.
  std::filesystem::path meet(const std::filesystem::path& folder, const std::filesystem::path& named, Stage until);
  // Null with a single rank.
  Ranks* ranks() const { return ranks_.get(); }
  // Call for stopped work: throws Error if the signal came to another rank.
  void check_stop() const;

 private:
  bool shared_ = false, launched_ = false;  // --ranks was given; a launcher started the others
  RankPlace place_;
  std::optional<ScratchFolder> meeting_folder_;  // where ranks started by this process meet
  std::optional<Rendezvous> meeting_;
  std::unique_ptr<RankProcesses> others_;
  std::unique_ptr<Ranks> ranks_;
};

}  // namespace pairs::batch
