#include "core/sets/index_map.h"

#include <gtest/gtest.h>

#include <string>

namespace pairs {
namespace {

TEST(IndexMap, NoTwoRangesMeet) {
  const auto ranges = index_map::ranges();
  ASSERT_GE(ranges.size(), 15u);
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    EXPECT_LT(ranges[i].first, ranges[i].end) << ranges[i].end_use;
    EXPECT_LE(ranges[i].end, index_map::kEnd) << ranges[i].end_use;
    for (std::size_t k = 0; k < i; ++k)
      if (std::string(ranges[i].axis) == ranges[k].axis) {
        EXPECT_TRUE(ranges[i].end <= ranges[k].first || ranges[k].end <= ranges[i].first)
            << ranges[i].axis << ": " << ranges[i].end_use << " and " << ranges[k].end_use;
      }
  }
}

// What the version before drew from where: another value would give another run for the same seed.
TEST(IndexMap, ValuesAreThoseOfFilesOnDisk) {
  using namespace index_map;
  EXPECT_EQ(kChoiceItem, std::uint64_t{1} << 46);
  EXPECT_EQ(kLatentItem, std::uint64_t{1} << 47);
  EXPECT_EQ(kSetItem, (std::uint64_t{1} << 47) + 1);
  EXPECT_EQ(kGroupStride, std::int64_t{1} << 42);
  EXPECT_EQ(kValidationSets, std::int64_t{1} << 41);
  EXPECT_EQ(kStatisticsSets, std::int64_t{1} << 40);
  EXPECT_EQ(kTheoremSets, std::int64_t{1} << 40);
  EXPECT_EQ(kToySets, std::int64_t{1} << 41);
  EXPECT_EQ(kToyStride, std::int64_t{1} << 24);
  EXPECT_EQ(kValidationPosition, std::uint64_t{1} << 40);
  EXPECT_EQ(kTypicalityPosition, (std::uint64_t{1} << 40) + 1);
  EXPECT_EQ(kLinearStartPosition, std::uint64_t{1} << 41);
  EXPECT_EQ(kValidationBatches, std::uint64_t{1} << 47);
}

}  // namespace
}  // namespace pairs
