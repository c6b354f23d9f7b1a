#pragma once

#include <torch/types.h>

#include <array>
#include <string>

namespace pairs {

// What kind of numbers a column of x holds, by which it is standardized for a density.
enum class ColumnKind {
  continuous,  // t = (x - location) / scale
  heavy,       // values far outside the usual ones occur: asinh(t)
  positive,    // values above 0 of which some are far above, or far closer to 0, than the others: t of log x
  lattice      // values at one distance from each other: whole numbers, 0.5, 1, 1.5, …; a distribution, not a density
};

// How one column of x is standardized.
class ColumnScale {
 public:
  // From simulated values [B] float64. Throws Error, a clause that names the column, for one without a density.
  static ColumnScale of(const torch::Tensor& values, const std::string& name);
  // As `of` for a covariate, which may take few values at any distances, or a single one.
  static ColumnScale of_covariate(const torch::Tensor& values);

  ColumnKind kind() const { return kind_; }
  // The distance of two neighbors of a lattice in standardized units; 0 for other kinds.
  double cell() const { return kind_ == ColumnKind::lattice ? step_ / scale_ : 0; }

  // Values [B] float64 -> standardized; and back, where values of a lattice are rounded to it.
  torch::Tensor standardized(const torch::Tensor& values) const;
  torch::Tensor original(const torch::Tensor& standardized) const;
  // Why values [B] float64 cannot be those of simulations, a clause that follows "column k of x"; "" if they can.
  std::string refused(const torch::Tensor& values) const;

  // As numbers for a file, and from them. Throws Error, a clause, for numbers that no scale has.
  static constexpr std::size_t kNumbers = 6;
  std::array<double, kNumbers> numbers() const;
  static ColumnScale from(const std::array<double, kNumbers>& numbers);

 private:
  ColumnKind kind_ = ColumnKind::continuous;
  double location_ = 0, scale_ = 1;
  double step_ = 1;            // of a lattice, which holds low_
  double low_ = 0, high_ = 0;  // the range of the values that it was measured on
};

}  // namespace pairs
