#pragma once

#include <cstdint>
#include <span>

namespace pairs {

// Pearson's chi-square of counts in bins, with each bin's contribution rounded to a tenth, and its p-value under the
// multinomial distribution. The p-value is exact down to 1e-10 (for up to 1,000 expected per bin; above that, and for
// smaller p, it is that of the chi-square distribution, the limit for large counts).
struct ChiSquareTest {
  double statistic = 0, p_value = 1;
};
// `values`: how many of the equally likely values each bin holds; these take at most two different numbers.
ChiSquareTest chi_square_test(std::span<const double> counts, std::span<const std::int64_t> values);

}  // namespace pairs
