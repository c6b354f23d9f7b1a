#pragma once

#include <torch/types.h>

#include <array>
#include <filesystem>
#include <memory>
#include <vector>

#include "core/task.h"
#include "tasks/own/stored/set_file.h"

namespace pairs {

// A stored set: which file it lies in, and which of its sets it is.
struct StoredSet {
  std::int64_t file = 0, set = 0;
};

// All stored simulations of a task, open for reading in place: memory goes with the number of files, and with that of
// the sets (eight bytes each) only where sets hold different numbers of observations.
class Simulations {
 public:
  // Opens every file and reads what tells whether they fit together, but neither θ nor x. Patterns are relative to
  // `folder`. Throws Error in one sentence that names the file and the array; also where two files hold the same sets.
  Simulations(const SimulationFiles& files, const std::filesystem::path& folder, const SimulationShape& shape);

  const SimulationShape& shape() const { return shape_; }
  std::int64_t sets() const { return sets_; }
  std::int64_t file_count() const { return static_cast<std::int64_t>(files_.size()); }
  const SetFile& file(std::int64_t file) const { return *files_[static_cast<std::size_t>(file)]; }

  // How many sets of a split hold n observations or more; and the k-th of these, the largest first.
  std::int64_t sets(Split split, std::int64_t n) const;
  StoredSet set(Split split, std::int64_t k) const;
  // The first and the last k, plus one, of the sets that hold as many observations as the k-th.
  std::pair<std::int64_t, std::int64_t> as_large_as(Split split, std::int64_t k) const;
  // The largest n of which every split holds a set, and the largest set of all.
  std::int64_t largest_n() const { return largest_n_; }
  std::int64_t largest_set() const { return largest_set_; }
  // Sizes that sets of a split have, descending.
  std::vector<std::int64_t> sizes(Split split) const;

  // θ and ψ of training sets spread evenly over all, `count` of them or as many as there are: for what follows from the
  // prior's draws.
  Latents sample(std::int64_t count) const;
  // "220,000 stored sets in 2 files": TaskInfo::data_source.
  std::string source_text() const;

 private:
  // Sets of one size in one file: those of a split from the k-th on.
  struct Run {
    std::int64_t m, file, first, count, end;  // end: of the sets up to here
  };
  void refuse_copies() const;
  void sort_sets(std::int64_t file);
  void finish_runs();
  const Run& run_of(Split split, std::int64_t k) const;
  const std::vector<Run>& runs(Split split) const { return runs_[static_cast<std::size_t>(split)]; }

  SimulationShape shape_;
  std::vector<std::unique_ptr<SetFile>> files_;
  std::array<std::vector<Run>, 3> runs_;  // of each split, the largest sets first
  // Of files whose sets hold different numbers of observations: the sets of each split, the largest first.
  std::vector<std::array<std::vector<std::int64_t>, 3>> sorted_;
  std::int64_t sets_ = 0, largest_n_ = 0, largest_set_ = 0;
};

// What simulations of a task are of.
SimulationShape simulation_shape(const TaskInfo& info);

// The task whose sets are these: `info` tells all else. An index of a purpose stands for a set of its split that holds
// enough observations (core/stored_sets.h), and for an order of its observations: the next visit of the same set takes
// another random subset. Sets for people (Purpose::explore) hold info.max_n; timing (Purpose::check) begins again at
// the end of a set. Reads all θ once. Throws Error where θ is not finite or outside its support, naming the row; a
// usage error where info.max_n is beyond what is stored.
std::shared_ptr<const Task> make_stored_task(std::shared_ptr<const Simulations> simulations, TaskInfo info);

}  // namespace pairs
