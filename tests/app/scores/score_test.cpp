#include "app/scores/score.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/base/error.h"

namespace pairs {
namespace {

TEST(PairedDifference, IsTheMeanOfDifferencesWithItsStandardError) {
  const PairedDifference d = paired_difference({1, 2, 3}, {2, 2, 5});  // differences of NLL: 1, 0, 2
  EXPECT_DOUBLE_EQ(d.mean, 1);
  EXPECT_DOUBLE_EQ(d.se, std::sqrt(1.0 / 3));
  EXPECT_THROW(paired_difference({1}, {1, 2}), Error);
  EXPECT_THROW(paired_difference({}, {}), Error);
}

}  // namespace
}  // namespace pairs
