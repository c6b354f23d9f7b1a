#include "app/text/counts.h"

#include <gtest/gtest.h>

#include "core/base/error.h"

namespace pairs {
namespace {

TEST(ParseCounts, TakesListsAndPowersOfTen) {
  EXPECT_EQ(parse_counts("1,2,1e5", "--sizes"), (std::vector<std::int64_t>{1, 2, 100000}));
  EXPECT_EQ(parse_counts("3 4", "--sizes"), (std::vector<std::int64_t>{3, 4}));
  for (const char* bad : {"", ",", "a", "1,x", "0", "-1", "1.5", "1e300", "nan"})
    EXPECT_THROW(parse_counts(bad, "--sizes"), Error) << bad;
}

}  // namespace
}  // namespace pairs
