#include "core/sets/permutation.h"

#include <gtest/gtest.h>

#include <vector>

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

}  // namespace
}  // namespace pairs
