#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tasks/own/stored/set_split.h"
#include "tasks/own/stored/simulation_files.h"
#include "tasks/own/stored/stored_array.h"

namespace pairs {

// What simulations are of: lengths of θ and ψ, and the shape of an observation, or of one of its rows where x is
// ragged rows.
struct SimulationShape {
  std::int64_t targets = 1, nuisances = 0;
  std::vector<std::int64_t> observation = {1};
  bool rows = false;

  std::int64_t numbers() const;
};

// The arrays of some sets: one file, or the NPY files of a folder. Their layouts:
//   x [S, M, shape...]: sets of M observations; [S, M] where an observation is one number;
//   x [T, shape...] with offsets [S + 1]: set s holds observations offsets[s] .. offsets[s + 1] - 1;
//   where an observation is ragged rows, x [R, columns] with row_offsets [T + 1]: observation t is rows row_offsets[t]
//   .. row_offsets[t + 1] - 1; with offsets as before, or without, T / S observations a set; or x [S, M, rows,
//   columns].
class SetFile {
 public:
  // `name`: as sentences and the division of the sets call it. Throws Error, naming file and array, where an array is
  // missing or does not fit.
  SetFile(std::string name, std::vector<std::shared_ptr<const StoredFile>> files,
          std::vector<std::unique_ptr<ArrayFile>> arrays, const SimulationFiles& names, const SimulationShape& shape);

  const std::string& name() const { return name_; }
  const std::vector<std::shared_ptr<const StoredFile>>& files() const { return files_; }
  std::int64_t sets() const { return sets_; }
  const SetSplit& split() const { return split_; }

  // M where every set holds as many observations, else 0.
  std::int64_t each() const { return each_; }
  std::int64_t observations(std::int64_t set) const {
    return each_ > 0 ? each_ : starts_[static_cast<std::size_t>(set) + 1] - starts_[static_cast<std::size_t>(set)];
  }

  // θ [d] and ψ [p] of the sets first .. first + count - 1, row by row. Throws Error where one is not finite.
  void read_theta(std::int64_t first, std::int64_t count, double* out) const;
  void read_psi(std::int64_t first, std::int64_t count, double* out) const;
  const std::string& theta_where() const { return theta_->where(); }

  // Observations of a set that are blocks, in the order of `positions`. Throws Error, naming the set, where one is not
  // finite.
  void read_observations(std::int64_t set, std::span<const std::int64_t> positions, float* out) const;

  // Of observations that are ragged rows: how many rows each has and where they begin, and then the rows themselves,
  // one observation behind the other.
  struct RowSpan {
    std::int64_t begin, count;
  };
  void row_spans(std::int64_t set, std::span<const std::int64_t> positions, RowSpan* out) const;
  void read_rows(std::int64_t set, std::span<const RowSpan> spans, float* out) const;

  // Throws Error where a file is no longer as it was opened.
  void check_unchanged() const;

 private:
  struct Wanted {
    std::int64_t first, count;  // numbers of x
    float* out;
  };
  std::unique_ptr<StoredArray> find(const std::string& name, const std::string& key) const;
  std::unique_ptr<StoredArray> need(const std::string& name, const std::string& key, const std::string& shape) const;
  void check_columns(const StoredArray& array, std::int64_t columns) const;
  void read_offsets(const StoredArray& array, std::int64_t observations);
  void lay_out_blocks();
  void lay_out_rows();
  std::int64_t first_observation(std::int64_t set) const;
  void read_latents(const StoredArray& array, std::int64_t first, std::int64_t count, std::int64_t columns,
                    double* out) const;
  void gather(std::int64_t set, std::vector<Wanted>& wanted) const;

  std::string name_;
  std::vector<std::shared_ptr<const StoredFile>> files_;
  std::vector<std::unique_ptr<ArrayFile>> arrays_;
  SimulationShape shape_;
  std::unique_ptr<StoredArray> theta_, psi_, x_, row_offsets_;
  std::int64_t sets_ = 0, each_ = 0;
  std::int64_t rows_each_ = 0;        // of an observation that is rows, where all have as many and none are ragged
  std::vector<std::int64_t> starts_;  // [S + 1] where sets hold different numbers of observations
  SetSplit split_;
};

// The files of [simulations], opened. Throws Error for a pattern that nothing matches, and for what is wrong with a
// file.
std::vector<std::unique_ptr<SetFile>> open_set_files(const SimulationFiles& files, const std::filesystem::path& folder,
                                                     const SimulationShape& shape);

}  // namespace pairs
