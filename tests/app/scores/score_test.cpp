#include "app/scores/score.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/base/text/error.h"

namespace pairs {
namespace {

TEST(PairedDifference, IsTheMeanOfDifferencesWithItsStandardError) {
  const PairedDifference d = paired_difference({1, 2, 3}, {2, 2, 5});  // differences of NLL: 1, 0, 2
  EXPECT_DOUBLE_EQ(d.mean, 1);
  EXPECT_DOUBLE_EQ(d.se, std::sqrt(1.0 / 3));
  EXPECT_THROW(paired_difference({1}, {1, 2}), Error);
  EXPECT_THROW(paired_difference({}, {}), Error);
}

EvaluationRow row_of(std::int64_t n, std::vector<std::uint16_t> tested) {
  EvaluationRow row;
  row.n = n;
  row.sets = static_cast<std::int64_t>(tested.size());
  row.log_prob.assign(tested.size(), -1);
  row.tested = std::move(tested);
  return row;
}

TEST(TestSets, ArePairedWhereTheirDigestsAgree) {
  std::vector<std::uint16_t> digests(100);
  for (std::size_t i = 0; i < digests.size(); ++i) digests[i] = static_cast<std::uint16_t>(31 * i);
  const EvaluationRow row = row_of(10, digests), fewer = row_of(10, {digests.begin(), digests.begin() + 40});
  EXPECT_EQ(paired_sets(row, fewer), 40u);
  std::vector<std::uint16_t> rounded = digests;  // a few differ in their last bits on another machine
  rounded[7] = rounded[70] = 1;
  EXPECT_EQ(paired_sets(row_of(10, rounded), row), 100u);
  std::vector<std::uint16_t> other = digests;  // most are others
  for (std::size_t i = 10; i < other.size(); ++i) other[i] = static_cast<std::uint16_t>(other[i] + 1);
  EXPECT_EQ(paired_sets(row_of(10, other), row), 0u);
  EXPECT_THROW(score_difference(row_of(10, other), row), Error);
  EXPECT_EQ(paired_sets(row_of(10, {}), row), 0u);
  EXPECT_TRUE(same_test_sets({row}, {fewer, row_of(2, other)}));
  EXPECT_FALSE(same_test_sets({row}, {row_of(2, digests)})) << "no size in common";
  EXPECT_FALSE(same_test_sets({row, row_of(2, digests)}, {fewer, row_of(2, other)}));
  EXPECT_FALSE(other_test_sets({row}, {fewer}));
  EXPECT_TRUE(other_test_sets({row}, {row_of(10, other)}));
  EXPECT_FALSE(other_test_sets({row}, {row_of(10, {})})) << "not known";
}

}  // namespace
}  // namespace pairs
