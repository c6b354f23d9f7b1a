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

// What simulations are of: lengths of θ, ψ and what is given, and the shape of an observation, or of one of its rows
// where x is ragged rows.
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
//   .. row_offsets[t + 1] - 1; with offsets as before, or without, T / S observations a set; or x [S, M, rows,
//   columns].
class SetFile {
 public:
  // `name`: as sentences call it. Throws Error, naming file and array, where an array is
  // missing or does not fit.
  SetFile(std::string name, std::vector<std::shared_ptr<const StoredFile>> files,
          std::vector<std::unique_ptr<ArrayFile>> arrays, const SimulationFiles& names, const SimulationShape& shape);

  const std::string& name() const { return name_; }
  const std::vector<std::shared_ptr<const StoredFile>>& files() const { return files_; }
  std::int64_t sets() const { return sets_; }

  // M where every set holds as many observations, else 0.
  std::int64_t each() const { return each_; }
  std::int64_t observations(std::int64_t set) const {
    if (each_ > 0) return each_;
    if (stride_ > 0) return held_[static_cast<std::size_t>(set)];
    return starts_[static_cast<std::size_t>(set) + 1] - starts_[static_cast<std::size_t>(set)];
  }

  // Whether NaN fills sets up.
  bool padded() const { return stride_ > 0; }

  // θ [d], ψ [p] and what is given [g] of the sets first .. first + count - 1, row by row. Throws Error where one is
  // not finite.
  void read_theta(std::int64_t first, std::int64_t count, double* out) const;
  void read_psi(std::int64_t first, std::int64_t count, double* out) const;
  void read_given(std::int64_t first, std::int64_t count, double* out) const;
  const std::string& theta_where() const { return theta_->where(); }
  std::string psi_where() const { return psi_ != nullptr ? psi_->where() : ""; }
  std::string given_where() const { return given_ != nullptr ? given_->where() : ""; }

  // Observations of a set that are blocks, in the order of `positions`. Throws Error, naming the set, where one is not
  // finite.
  void read_observations(std::int64_t set, std::span<const std::int64_t> positions, float* out) const;
  void read_observations(std::int64_t set, std::span<const std::int64_t> positions, double* out) const;

  // Of observations that are ragged rows: how many rows each has and where they begin, and then the rows themselves,
  // one observation behind the other.
  struct RowSpan {
    std::int64_t begin, count;
  };
  void row_spans(std::int64_t set, std::span<const std::int64_t> positions, RowSpan* out) const;
  void read_rows(std::int64_t set, std::span<const RowSpan> spans, float* out) const;
  void read_rows(std::int64_t set, std::span<const RowSpan> spans, double* out) const;

  // The numbers of a set's first observation, all its rows where it is ragged rows.
  std::vector<double> first_observation_of(std::int64_t set) const;
  // Reads all ψ, what is given, x and row_offsets, a part at a time. Throws Error where a number is not finite in
  // float32, or where offsets do not ascend. `done` hears how many numbers were read since it was asked last, and may
  // throw.
  void scan(const std::function<void(std::int64_t numbers)>& done) const;
  // How many numbers that are.
  std::int64_t numbers() const;
  // Throws Error, naming the column, where observations of one set lie so close beside their size that float32 cannot
  // tell them apart, as they are or as `input` standardises them: where what rounding takes off exceeds a hundredth of
  // their standard deviation within sets. `columns`: names of x's, none where it is images.
  void check_precision(const std::vector<std::string>& columns, const InputScale& input) const;

  // Throws Error where a file is no longer as it was opened.
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
  // One row a set.
  std::unique_ptr<StoredArray> need_rows(const std::string& name, const char* key, std::int64_t columns,
                                         const std::string& theta) const;
  void read_offsets(const StoredArray& array, std::int64_t observations);
  void lay_out_blocks();
  // Finds how many observations each set holds before those that fill it up.
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
  // Whether a number of x fills a set up, and belongs to no observation.
  bool fills_up(std::int64_t number) const;
  // "in an observation of set 17", of a number of x.
  std::string place_of_number(std::int64_t number) const;

  std::string name_;
  std::vector<std::shared_ptr<const StoredFile>> files_;
  std::vector<std::unique_ptr<ArrayFile>> arrays_;
  SimulationShape shape_;
  std::unique_ptr<StoredArray> theta_, psi_, given_, x_, row_offsets_;
  std::int64_t sets_ = 0, each_ = 0;
  std::int64_t rows_each_ = 0;        // of an observation that is rows, where all have as many and none are ragged
  std::int64_t stride_ = 0;           // observations from a set to the next where NaN fills sets up, else 0
  std::vector<std::int64_t> held_;    // [S] observations of these sets
  std::vector<std::int64_t> starts_;  // [S + 1] where sets hold different numbers of observations
};

// The files of [simulations], opened. Throws Error for a pattern that nothing matches, and for what is wrong with a
// file.
std::vector<std::unique_ptr<SetFile>> open_set_files(const SimulationFiles& files, const std::filesystem::path& folder,
                                                     const SimulationShape& shape);

}  // namespace pairs
