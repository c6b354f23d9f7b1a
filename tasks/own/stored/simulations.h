#pragma once

#include <torch/types.h>

#include <array>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/given.h"
#include "core/input_scale.h"
#include "core/task.h"
#include "tasks/file_columns.h"
#include "tasks/own/stored/set_file.h"
#include "tasks/own/stored/set_order.h"

namespace pairs {

// All stored simulations of a task, open for reading in place: memory goes with the number of files and that of the
// sets (eight bytes each; 24 while they are opened), not with what these hold.
class Simulations {
 public:
  // Opens every file, reads what tells whether they fit together, and all θ, by which the sets are divided (SetOrder).
  // Patterns are relative to `folder`. Throws Error in one sentence that names the file and the array.
  Simulations(const SimulationFiles& files, const std::filesystem::path& folder, const SimulationShape& shape);

  const SimulationShape& shape() const { return shape_; }
  // Without copies.
  std::int64_t sets() const { return sets_; }
  std::int64_t file_count() const { return static_cast<std::int64_t>(files_.size()); }
  const SetFile& file(std::int64_t file) const { return *files_[static_cast<std::size_t>(file)]; }

  // How many sets of a split hold n observations or more; and the k-th of these, the largest first.
  std::int64_t sets(Split split, std::int64_t n) const;
  StoredSet set(Split split, std::int64_t k) const;
  // The first and the last k, plus one, of the sets that hold as many observations as the k-th.
  std::pair<std::int64_t, std::int64_t> as_large_as(Split split, std::int64_t k) const;
  // The largest n of which every split holds a set.
  std::int64_t largest_n() const { return largest_n_; }
  // Sizes that sets of a split have, descending.
  std::vector<std::int64_t> sizes(Split split) const;

  // θ, ψ and what is given of training sets spread evenly over all, `count` of them or as many as there are: for what
  // follows from the prior's draws.
  Latents sample(std::int64_t count) const;
  // Two observations each of `count` training sets spread evenly over all, float64: for how x is standardised.
  Observations sample_pairs(std::int64_t count) const;
  // "220,000 stored sets (content 1a2b3c4d)": TaskInfo::data_source, the same wherever the sets lie.
  std::string source_text() const;
  // What is worth knowing of what is stored, a sentence each: copies, repeated θ.
  std::vector<std::string> notes() const;
  // As SetFile::check_precision, of every file.
  void check_precision(const std::vector<std::string>& columns, const InputScale& input) const;
  // Looks through all that is stored for numbers that cannot be learnt from, once for each state of the files, which is
  // remembered on disk. Throws Error as SetFile::scan, and Stopped.
  void check_numbers(const Preparation& preparation) const;

 private:
  // The k-th of `count` sets spread evenly over all training sets.
  StoredSet spread(std::int64_t k, std::int64_t count) const;
  // Sets of a split with m observations: those before `end`, from the end of the run before on.
  struct Run {
    std::int64_t m, end;
  };
  const Run& run_of(Split split, std::int64_t k) const;
  const std::vector<Run>& runs(Split split) const { return runs_[static_cast<std::size_t>(split)]; }

  SimulationShape shape_;
  std::vector<std::unique_ptr<SetFile>> files_;
  SetOrder order_;
  std::array<std::vector<Run>, 3> runs_;  // of each split, the largest sets first
  std::int64_t sets_ = 0, largest_n_ = 0;
};

// What simulations of a task are of.
SimulationShape simulation_shape(const TaskInfo& info);

// What else is known of a task of stored sets: how an accumulator of the exact posterior of one set is made, the
// command that reads a file of observations (tasks/file_reader.h), and posteriors of sets by name. Empty: nothing.
struct StoredFaces {
  std::function<std::unique_ptr<ReferencePosterior>()> reference = {};
  std::function<std::string(const std::filesystem::path&)> reader = {};
  std::function<std::unique_ptr<ReferencePosterior>(const std::vector<std::string>&)> reference_of = {};
};

// The task whose sets are these: `info` tells all else. An index of a purpose stands for a set of its split that holds
// enough observations (core/stored_sets.h), and for an order of its observations: the next visit of the same set takes
// another random subset. Sets for people (Purpose::explore) hold info.max_n; timing (Purpose::check) begins again at
// the end of a set. Reads all θ and ψ once. Throws Error where one is not finite or outside its support, naming the
// row; a usage error where info.max_n is beyond what is stored. `psi_supports`: low and high of each nuisance; none:
// unbounded. `input`: how x is standardised; empty: it is not. `columns`: as HasFileColumns.
// `given`: as HasGivenRanges, of as many as `info` says are given.
std::shared_ptr<const Task> make_stored_task(std::shared_ptr<const Simulations> simulations, TaskInfo info,
                                             const std::vector<std::pair<double, double>>& psi_supports = {},
                                             InputScale input = {}, std::vector<FileColumn> columns = {},
                                             std::vector<GivenRange> given = {}, StoredFaces faces = {});

}  // namespace pairs
