#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace pairs {

// Evaluates F(o) = Σ_r weight_r Π_{i in r} (b_i + o s_i), the marginal likelihood of a two-component mixture at the
// odds o = θ / (1 − θ), up to the factor Π (1 − θ) b(x_i). Each row r is one value of the nuisance.
class MixtureProduct {
 public:
  // Starts over with the number of factors of every row.
  void reset(std::span<const std::int64_t> factors_of_row);
  // Adds a factor to a row: the log ratio of its signal and background densities.
  void add(std::int64_t row, double log_ratio) {
    log_ratio_[static_cast<std::size_t>(next_[static_cast<std::size_t>(row)]++)] = log_ratio;
  }
  // Completes the rows with their log weights (from the nuisance's prior).
  void finish(std::span<const double> log_weight);

  // log F at each of the odds (0 to 1e15). Ratios beyond e^±40 count as e^±40 where only the smaller term is left. Does
  // not overflow for any number of factors.
  std::vector<double> log_sum(std::span<const double> odds) const;

 private:
  std::vector<std::int64_t> offsets_, next_;
  std::vector<double> log_ratio_, b_, s_;  // factors (b, s), scaled so that the larger is 1
  std::vector<double> mantissa_;           // of a row's weight, in [1, 2)
  std::vector<std::int64_t> exponent_;     // and its power of two
};

}  // namespace pairs
