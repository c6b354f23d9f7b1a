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

// All stored simulations of a task, open for reading in place: memory is proportional to the numbers of files and sets
// (eight bytes per set; 24 while they are opened), not to their content.
class Simulations {
 public:
  // Opens every file and reads the metadata to check that they fit together, and all θ, by which the sets are divided
  // (SetOrder). Patterns are relative to `folder`. Throws Error in one sentence that names the file and the array.
  Simulations(const SimulationFiles& files, const std::filesystem::path& folder, const SimulationShape& shape);

  const SimulationShape& shape() const { return shape_; }
  bool simulated() const { return simulated_; }  // SimulationFiles::simulated
  // Without copies.
  std::int64_t sets() const { return sets_; }
  std::int64_t file_count() const { return static_cast<std::int64_t>(files_.size()); }
  const SetFile& file(std::int64_t file) const { return *files_[static_cast<std::size_t>(file)]; }

  // How many sets of a split hold at least n observations; and the k-th of these, the largest first.
  std::int64_t sets(Split split, std::int64_t n) const;
  StoredSet set(Split split, std::int64_t k) const;
  // The range [first, end) of k for the sets that hold as many observations as the k-th.
  std::pair<std::int64_t, std::int64_t> as_large_as(Split split, std::int64_t k) const;
  // The largest n for which every split has a set.
  std::int64_t largest_n() const { return largest_n_; }
  // The sizes of a split's sets, descending.
  std::vector<std::int64_t> sizes(Split split) const;

  // θ, ψ and conditions of training sets spread evenly over all, `count` of them or as many as there are: to measure
  // ranges of the prior.
  Latents sample(std::int64_t count) const;
  // Two observations each from `count` training sets spread evenly over all, float64: to measure the standardization of
  // x.
  Observations sample_pairs(std::int64_t count) const;
  // "220,000 stored sets (content 1a2b3c4d)": TaskInfo::data_source, independent of where the sets are.
  std::string source_text() const;
  // Notes on the stored sets, one sentence each: copies, repeated θ.
  std::vector<std::string> notes() const;
  // SetFile::check_precision for every file.
  void check_precision(const std::vector<std::string>& columns, const InputScale& input) const;
  // Searches everything stored for numbers that cannot be trained on, once for each state of the files, which is cached
  // on disk. Throws Error as SetFile::scan does, and Stopped.
  void check_numbers(const Preparation& preparation) const;

 private:
  // The k-th of `count` sets spread evenly over all training sets.
  StoredSet spread(std::int64_t k, std::int64_t count) const;
  // Sets of a split with m observations: those before `end`, starting at the end of the previous run.
  struct Run {
    std::int64_t m, end;
  };
  const Run& run_of(Split split, std::int64_t k) const;
  const std::vector<Run>& runs(Split split) const { return runs_[static_cast<std::size_t>(split)]; }

  SimulationShape shape_;
  bool simulated_;
  std::vector<std::unique_ptr<SetFile>> files_;
  SetOrder order_;
  std::array<std::vector<Run>, 3> runs_;  // per split, the largest sets first
  std::int64_t sets_ = 0, largest_n_ = 0;
};

// The shape of a task's simulations.
SimulationShape simulation_shape(const TaskInfo& info);

// Further abilities of a task of stored sets: an accumulator for the exact posterior of one set, the command that reads
// a file of observations (tasks/file_reader.h), and posteriors of sets by name. Empty: none.
struct StoredFaces {
  std::function<std::unique_ptr<ReferencePosterior>()> reference = {};
  std::function<std::string(const std::filesystem::path&)> reader = {};
  std::function<std::unique_ptr<ReferencePosterior>(const std::vector<std::string>&)> reference_of = {};
};

// The task with these sets; `info` describes everything else. An index of a purpose selects a set of its split that
// holds enough observations (core/stored_sets.h), and an order of its observations: the next visit of the same set uses
// another random subset. Sets for display (Purpose::explore) hold info.max_n; timing (Purpose::check) starts over at
// the end of a set. Reads all θ and ψ once. Throws Error if one is not finite or outside its support, naming the row;
// throws a usage error if info.max_n exceeds what is stored. `psi_supports`: bounds of each nuisance; none: unbounded.
// `input`: the standardization of x; empty: none. `columns`: see HasFileColumns. `given`: see HasGivenRanges, one per
// condition in `info`.
std::shared_ptr<const Task> make_stored_task(std::shared_ptr<const Simulations> simulations, TaskInfo info,
                                             const std::vector<std::pair<double, double>>& psi_supports = {},
                                             InputScale input = {}, std::vector<FileColumn> columns = {},
                                             std::vector<GivenRange> given = {}, StoredFaces faces = {});

}  // namespace pairs
