#include "app/common/comparison.h"

#include <gtest/gtest.h>

#include <cmath>

#include "app/common/counts.h"
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

TEST(SettingRows, PutDifferencesFirst) {
  RunConfig a, b;
  a.task = b.task = "gaussian";
  b.pretrain.rate = 0.5;
  const auto rows = setting_rows({a, b});
  EXPECT_EQ(rows[0].key, "pretrain.rate");
  EXPECT_TRUE(rows[0].differs);
  EXPECT_NE(rows[0].values[0], rows[0].values[1]);
  for (std::size_t k = 1; k < rows.size(); ++k) EXPECT_FALSE(rows[k].differs) << rows[k].key;
}

TEST(ParseCounts, TakesListsAndPowersOfTen) {
  EXPECT_EQ(parse_counts("1,2,1e5", "--sizes"), (std::vector<std::int64_t>{1, 2, 100000}));
  EXPECT_EQ(parse_counts("3 4", "--sizes"), (std::vector<std::int64_t>{3, 4}));
  for (const char* bad : {"", ",", "a", "1,x", "0", "-1", "1.5", "1e300", "nan"})
    EXPECT_THROW(parse_counts(bad, "--sizes"), Error) << bad;
}

}  // namespace
}  // namespace pairs
