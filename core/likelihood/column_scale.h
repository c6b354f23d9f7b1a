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
  lattice,     // values at one distance from each other: whole numbers, 0.5, 1, 1.5, …; a distribution, not a density
  periodic     // values that repeat after a period: the angle from -π to π around their circular mean
};

// What a density of a standardized column is.
struct ColumnForm {
  double cell = 0;      // the distance of two neighbors of a lattice; 0: the column is continuous
  bool circle = false;  // -π and π are the same value
};

// How one column of x is standardized.
class ColumnScale {
 public:
  // From simulated values [B] float64; `period`: 0 where they have none. Throws Error, a clause that names the column,
  // for one without a density.
  static ColumnScale of(const torch::Tensor& values, const std::string& name, double period = 0);
  // As `of` for a covariate, which may take few values at any distances, or a single one.
  static ColumnScale of_covariate(const torch::Tensor& values, double period = 0);

  ColumnKind kind() const { return kind_; }
  ColumnForm form() const {
    const bool circle = kind_ == ColumnKind::periodic;
    return {circle || kind_ == ColumnKind::lattice ? step_ / scale_ : 0, circle};
  }

  // Values [B] float64 -> standardized; and back, where values of a lattice are rounded to it.
  torch::Tensor standardized(const torch::Tensor& values) const;
  torch::Tensor original(const torch::Tensor& standardized) const;
  // The logarithm of d standardized / d value at values [B] float64; 0 for a lattice, whose values have probabilities.
  torch::Tensor log_slope(const torch::Tensor& values) const;
  // Why values [B] float64 cannot be those of simulations, a clause that follows "column k of x"; "" if they can.
  std::string refused(const torch::Tensor& values) const;

  // As numbers for a file, and from them. Throws Error, a clause, for numbers that no scale has.
  static constexpr std::size_t kNumbers = 6;
  std::array<double, kNumbers> numbers() const;
  static ColumnScale from(const std::array<double, kNumbers>& numbers);

 private:
  ColumnKind kind_ = ColumnKind::continuous;
  double location_ = 0, scale_ = 1;
  double step_ = 1;            // of a lattice, which holds low_; of a periodic column, 0 where it is continuous
  double low_ = 0, high_ = 0;  // the range of the values that it was measured on; of a periodic one, a period
};

}  // namespace pairs
