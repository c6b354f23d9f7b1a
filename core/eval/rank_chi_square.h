#pragma once

#include <cstdint>
#include <span>

namespace pairs {

// Pearson's chi-square of counts in bins, each bin's share of it rounded to a tenth, and its p-value under the
// multinomial distribution that so many sets have. The p-value is exact down to 1e-10 (up to 1,000 expected in a bin;
// beyond, and for smaller p, it follows the chi-square distribution, which counts as large approach).
struct ChiSquareTest {
  double statistic = 0, p_value = 1;
};
// `values`: how many of the equally likely values each bin holds; bins hold at most two different numbers of them.
ChiSquareTest chi_square_test(std::span<const double> counts, std::span<const std::int64_t> values);

}  // namespace pairs
