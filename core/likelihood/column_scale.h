#pragma once

#include <torch/types.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace pairs {

// What kind of numbers a column of x holds, by which it is standardized for a density.
enum class ColumnKind {
  continuous,  // t = (x - location) / scale
  heavy,       // values far outside the usual ones occur: asinh(t)
  positive,    // values above 0 of which some are far above, or far closer to 0, than the others: t of log x
  lattice,     // values at one distance from each other: whole numbers, 0.5, 1, 1.5, …; a distribution, not a density
  periodic,    // values that repeat after a period: the angle from -π to π around their circular mean
  categories   // a few values at any distances: a distribution over them
};

// The k-th of the single values that have a probability of their own in a column, its atoms, standardized: far from all
// that other values become.
constexpr double atom_code(std::int64_t k) {
  return 1267650600228229401496703205376.0 * static_cast<double>(k + 1);  // 2¹⁰⁰, exact as float32
}
// The atom of each standardized value, and -1 for others -> int64.
torch::Tensor atom_of(const torch::Tensor& standardized);

// What a density of a standardized column is.
struct ColumnForm {
  double cell = 0;      // the distance of two neighbors of a lattice; 0: the column is continuous
  bool circle = false;  // -π and π are the same value
  // Where atoms lie among the other values, ascending; ±infinity: below or above all.
  std::vector<double> atoms = {};
  bool only_atoms = false;  // there are no other values
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
  ColumnForm form() const;
  // Single values of a column with a probability of their own, ascending: the zeros of amounts, the ends of clipped
  // measurements; of categories all values.
  const std::vector<double>& atoms() const { return atoms_; }

  // Values [B] float64 -> standardized, atoms as their codes; and back, where values of a lattice are rounded to it.
  torch::Tensor standardized(const torch::Tensor& values) const;
  torch::Tensor original(const torch::Tensor& standardized) const;
  // The logarithm of d standardized / d value at values [B] float64; 0 for a lattice and for atoms, whose values have
  // probabilities.
  torch::Tensor log_slope(const torch::Tensor& values) const;
  // Why values [B] float64 cannot be those of simulations, a clause that follows "column k of x"; "" if they can.
  std::string refused(const torch::Tensor& values) const;

  // As numbers and atoms for a file, and from them. Throws Error, a clause, for numbers that no scale has.
  static constexpr std::size_t kNumbers = 6;
  std::array<double, kNumbers> numbers() const;
  static ColumnScale from(const std::array<double, kNumbers>& numbers, std::vector<double> atoms = {});

 private:
  // The place of each value among the atoms, and -1 for others -> int64. Both are compared as float32.
  torch::Tensor place_of(const torch::Tensor& values) const;
  // As `of` for values without atoms, of which there are at least two.
  void measure(const torch::Tensor& values, const std::string& name);

  ColumnKind kind_ = ColumnKind::continuous;
  double location_ = 0, scale_ = 1;
  double step_ = 1;            // of a lattice, which holds low_; of a periodic column, 0 where it is continuous
  double low_ = 0, high_ = 0;  // the range of the values that it was measured on; of a periodic one, a period
  std::vector<double> atoms_;
};

}  // namespace pairs
