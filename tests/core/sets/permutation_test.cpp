#include "core/sets/permutation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/base/numbers/random.h"

namespace pairs {
namespace {

TEST(Permutation, VisitsEveryPositionOnce) {
  for (std::uint64_t n : {1, 2, 3, 5, 16, 17, 1000, 4097}) {
    std::vector<int> seen(n, 0);
    for (std::uint64_t p = 0; p < n; ++p) ++seen.at(permuted(7, n, p));
    for (int count : seen) EXPECT_EQ(count, 1) << "n = " << n;
  }
}

TEST(Permutation, DiffersByKeyAndLooksShuffled) {
  constexpr std::uint64_t n = 5000;
  int same = 0, ascending = 0;
  for (std::uint64_t p = 0; p + 1 < n; ++p) {
    same += permuted(1, n, p) == permuted(2, n, p);
    ascending += permuted(1, n, p) < permuted(1, n, p + 1);
  }
  EXPECT_LT(same, 12);                     // expected 1
  EXPECT_NEAR(ascending, 2500, 5 * 20.4);  // sd sqrt(n / 12)
}

// Where two members of few come to stand: each of the n (n - 1) ordered pairs of places as often as any other, by a
// chi-square over them.
TEST(Permutation, OfFewEveryOrderIsEquallyLikely) {
  for (const std::uint64_t n : {3, 4, 10, 17}) {
    const auto cells = static_cast<double>(n * (n - 1));
    const int keys = 400 * static_cast<int>(cells);
    std::vector<int> seen(n * n, 0);
    for (int k = 0; k < keys; ++k) {
      const std::uint64_t key = stream_key(static_cast<std::uint64_t>(k), Purpose::check);
      ++seen[permuted(key, n, 0) * n + permuted(key, n, 1)];
    }
    const double expected = keys / cells;
    double square = 0;
    for (std::uint64_t i = 0; i < n; ++i)
      for (std::uint64_t j = 0; j < n; ++j)
        if (i != j) square += std::pow(seen[i * n + j] - expected, 2) / expected;
    EXPECT_NEAR(square, cells - 1, 5 * std::sqrt(2 * (cells - 1))) << n;
  }
}

TEST(Permutation, AsksInTurnOfOtherKeysChangeNothing) {
  std::vector<std::uint64_t> alone, mixed;
  for (std::uint64_t p = 0; p < 50; ++p) alone.push_back(permuted(5, 50, p));
  for (std::uint64_t p = 0; p < 50; ++p) {
    permuted(6, 50, p);
    permuted(5, 49, p % 49);
    mixed.push_back(permuted(5, 50, p));
  }
  EXPECT_EQ(alone, mixed);
}

}  // namespace
}  // namespace pairs
