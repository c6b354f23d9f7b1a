#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/input_scale.h"
#include "tasks/own/stored/simulation_files.h"
#include "tasks/own/stored/stored_array.h"

namespace pairs {

// The shape of simulations: lengths of θ, ψ and conditions, and the shape of an observation, or of one of its rows if x
// is ragged rows.
struct SimulationShape {
  std::int64_t targets = 1, nuisances = 0;
  std::vector<std::int64_t> observation = {1};
  bool rows = false;
  std::int64_t given = 0;

  std::int64_t numbers() const;
};

// The arrays of some sets: one file, or the NPY files of a folder. Their layouts:
//   x [S, M, shape...]: sets of M observations; [S, M] where an observation is one number; with padding = "nan" sets of
//   up to M, of which the observations behind the last are NaN;
//   x [T, shape...] with offsets [S + 1]: set s holds observations offsets[s] .. offsets[s + 1] - 1;
//   where an observation is ragged rows, x [R, columns] with row_offsets [T + 1]: observation t is rows row_offsets[t]
//   .. row_offsets[t + 1] - 1; with offsets as before, or without, T / S observations per set; or x [S, M, rows,
//   columns].
class SetFile {
 public:
  // `name`: its name in sentences. Throws Error, naming file and array, if an array is missing or does not fit.
  SetFile(std::string name, std::vector<std::shared_ptr<const StoredFile>> files,
          std::vector<std::unique_ptr<ArrayFile>> arrays, const SimulationFiles& names, const SimulationShape& shape);

  const std::string& name() const { return name_; }
  const std::vector<std::shared_ptr<const StoredFile>>& files() const { return files_; }
  std::int64_t sets() const { return sets_; }

  // M if every set holds equally many observations, else 0.
  std::int64_t each() const { return each_; }
  std::int64_t observations(std::int64_t set) const {
    if (each_ > 0) return each_;
    if (stride_ > 0) return held_[static_cast<std::size_t>(set)];
    return starts_[static_cast<std::size_t>(set) + 1] - starts_[static_cast<std::size_t>(set)];
  }

  // Whether sets are padded with NaN.
  bool padded() const { return stride_ > 0; }

  // θ [d], ψ [p] and conditions [g] of the sets first .. first + count - 1, row by row. Throws Error if one is not
  // finite.
  void read_theta(std::int64_t first, std::int64_t count, double* out) const;
  void read_psi(std::int64_t first, std::int64_t count, double* out) const;
  void read_given(std::int64_t first, std::int64_t count, double* out) const;
  const std::string& theta_where() const { return theta_->where(); }
  std::string psi_where() const { return psi_ != nullptr ? psi_->where() : ""; }
  std::string given_where() const { return given_ != nullptr ? given_->where() : ""; }

  // Reads observations of a set of blocks, in the order of `positions`. Throws Error, naming the set, if one is not
  // finite.
  void read_observations(std::int64_t set, std::span<const std::int64_t> positions, float* out) const;
  void read_observations(std::int64_t set, std::span<const std::int64_t> positions, double* out) const;

  // For ragged observations: how many rows each has and where they begin, and then the rows themselves, one observation
  // after another.
  struct RowSpan {
    std::int64_t begin, count;
  };
  void row_spans(std::int64_t set, std::span<const std::int64_t> positions, RowSpan* out) const;
  void read_rows(std::int64_t set, std::span<const RowSpan> spans, float* out) const;
  void read_rows(std::int64_t set, std::span<const RowSpan> spans, double* out) const;

  // The numbers of a set's first `count` observations, fewer if it holds fewer, with all rows of ragged ones.
  std::vector<double> first_observations_of(std::int64_t set, std::int64_t count) const;
  // Reads all ψ, conditions, x and row_offsets, in parts. Throws Error if a number is not finite in float32, or if
  // offsets do not ascend. `done` receives how many numbers were read since its last call, and may throw.
  void scan(const std::function<void(std::int64_t numbers)>& done) const;
  // The count of numbers that scan() reads.
  std::int64_t numbers() const;
  // Throws Error, naming the column, if observations of one set are so close compared with their size that float32
  // cannot distinguish them, unchanged or standardized by `input`: if the rounding error exceeds a hundredth of their
  // standard deviation within sets. `columns`: names of x's columns, none for images.
  void check_precision(const std::vector<std::string>& columns, const InputScale& input) const;

  // Throws Error if a file has changed since it was opened.
  void check_unchanged() const;

 private:
  template <class Number>
  struct Wanted {
    std::int64_t first, count;  // numbers of x
    Number* out;
  };
  std::unique_ptr<StoredArray> find(const std::string& name, const std::string& key) const;
  std::unique_ptr<StoredArray> need(const std::string& name, const std::string& key, const std::string& shape) const;
  void check_columns(const StoredArray& array, std::int64_t columns) const;
  // One row per set.
  std::unique_ptr<StoredArray> need_rows(const std::string& name, const char* key, std::int64_t columns,
                                         const std::string& theta) const;
  void read_offsets(const StoredArray& array, std::int64_t observations);
  void lay_out_blocks();
  // Finds how many observations each set holds before the padding.
  void take_padding();
  void lay_out_rows();
  std::int64_t first_observation(std::int64_t set) const;
  void read_latents(const StoredArray& array, std::int64_t first, std::int64_t count, std::int64_t columns,
                    double* out) const;
  template <class Number>
  void gather(std::int64_t set, std::vector<Wanted<Number>>& wanted) const;
  template <class Number>
  void read_blocks(std::int64_t set, std::span<const std::int64_t> positions, Number* out) const;
  template <class Number>
  void read_rows_as(std::int64_t set, std::span<const RowSpan> spans, Number* out) const;
  std::int64_t set_of_observation(std::int64_t observation) const;
  // Whether a number of x is padding rather than part of an observation.
  bool fills_up(std::int64_t number) const;
  // "in an observation of set 17", for a number of x.
  std::string place_of_number(std::int64_t number) const;

  std::string name_;
  std::vector<std::shared_ptr<const StoredFile>> files_;
  std::vector<std::unique_ptr<ArrayFile>> arrays_;
  SimulationShape shape_;
  std::unique_ptr<StoredArray> theta_, psi_, given_, x_, row_offsets_;
  std::int64_t sets_ = 0, each_ = 0;
  std::int64_t rows_each_ = 0;        // rows per observation if all have equally many and none are ragged
  std::int64_t stride_ = 0;           // observations from one set to the next if sets are padded with NaN, else 0
  std::vector<std::int64_t> held_;    // [S] observations of these sets
  std::vector<std::int64_t> starts_;  // [S + 1] if sets hold different numbers of observations
};

// Opens the files of [simulations]. Throws Error for a pattern without a match, and for problems of a file.
std::vector<std::unique_ptr<SetFile>> open_set_files(const SimulationFiles& files, const std::filesystem::path& folder,
                                                     const SimulationShape& shape);

}  // namespace pairs
