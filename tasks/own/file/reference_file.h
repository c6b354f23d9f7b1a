#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/task.h"
#include "tasks/own/file/task_file.h"

namespace pairs::own {

// Log posterior densities of observed sets in a file, [reference] file of a task.toml (docs/how-to/own-task.md): for
// each set their values on a grid of one or two targets, with linear interpolation in between and zero density beyond.
// Thread-safe. The file is read on first use, and again after it has changed.
class ReferenceFile {
 public:
  // `normalized`: the densities are used unchanged; otherwise they are known up to a constant for each set.
  ReferenceFile(std::filesystem::path file, bool normalized, std::vector<Target> targets);

  // See HasSetReferences.
  std::unique_ptr<ReferencePosterior> of(const std::vector<std::string>& names) const;

  // The grid of one set: the values of each target, ascending, and the log density at each combination of them, the
  // last target fastest.
  struct Grid {
    std::vector<std::vector<double>> axes;
    std::vector<double> logs;
  };

 private:
  using Grids = std::map<std::string, std::shared_ptr<const Grid>>;
  const Grids& grids() const;

  std::filesystem::path file_;
  bool normalized_;
  std::vector<Target> targets_;
  mutable std::mutex mutex_;
  mutable Grids grids_;
  mutable std::filesystem::file_time_type read_{};
};

// The references of a task as a function (HasSetReferences); empty if its file names none.
std::function<std::unique_ptr<ReferencePosterior>(const std::vector<std::string>& names)> known_references(
    const TaskFile& task);
// The reference file of a task; null if its file names none.
std::shared_ptr<const ReferenceFile> reference_file_of(const TaskFile& task);

}  // namespace pairs::own
