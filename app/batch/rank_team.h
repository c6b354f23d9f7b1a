#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "app/batch/rank_processes.h"
#include "app/runs/new_run.h"
#include "core/parallel/launcher.h"
#include "core/parallel/ranks.h"
#include "core/parallel/rendezvous.h"

namespace CLI {
class App;
}

namespace pairs::batch {

// --ranks and --rendezvous, as they were given.
struct RankOptions {
  std::string ranks, rendezvous;
};
void add_rank_options(CLI::App& app, RankOptions& options);

// The processes that train a run together, of which this is one: as many as --ranks says on this machine, which the
// first starts, or those that a launcher started.
class RankTeam {
 public:
  // Reads the options, and the launcher's variables where they say so; the first rank listens from here on. Throws a
  // usage error where they do not say who meets where.
  explicit RankTeam(const RankOptions& options);

  int size() const { return place_.size; }
  bool leads() const { return place_.rank == 0; }

  // What a new run of several ranks needs where nothing else is said: slots, the CPU, and each rank's threads.
  void complete(NewRun& wanted) const;
  // Waits for all ranks; the first one's folder is told to all, and returned. `named`: the folder that this process's
  // command names, "" where it names none. Does nothing where it is alone. Throws Error where ranks of a launcher name
  // different folders.
  std::filesystem::path meet(const std::filesystem::path& folder, const std::filesystem::path& named, Stage until);
  // Null where it is alone.
  Ranks* ranks() const { return ranks_.get(); }
  // For work that was stopped: throws Error where no signal came to this rank, but to another.
  void check_stop() const;

 private:
  bool shared_ = false, launched_ = false;  // --ranks was given; a launcher started the others
  RankPlace place_;
  std::optional<ScratchFolder> meeting_folder_;  // in which ranks that this process starts meet
  std::optional<Rendezvous> meeting_;
  std::unique_ptr<RankProcesses> others_;
  std::unique_ptr<Ranks> ranks_;
};

}  // namespace pairs::batch
