#include "app/text/counts.h"

#include <gtest/gtest.h>

#include "core/base/text/error.h"

namespace pairs {
namespace {

TEST(ParseCounts, TakesListsAndPowersOfTen) {
  EXPECT_EQ(parse_counts("1,2,1e5", "--sizes", "--sizes "), (std::vector<std::int64_t>{1, 2, 100000}));
  EXPECT_EQ(parse_counts("3 4", "--sizes", "--sizes "), (std::vector<std::int64_t>{3, 4}));
  for (const char* bad : {"", ",", "a", "1,x", "0", "-1", "1.5", "1e300", "nan"})
    EXPECT_THROW(parse_counts(bad, "--sizes", "--sizes "), Error) << bad;
}

// On the command line an example shows the option; in a field of the window it does not.
TEST(ParseCounts, ShowsAnExampleAsItIsWritten) {
  const auto refusal = [](const char* name, const char* before) {
    try {
      parse_counts("x", name, before);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(refusal("--sizes", "--sizes "),
            "--sizes holds x, which is not a whole number from 1 to 1e12; write for example --sizes 1,2,100");
  EXPECT_EQ(refusal("Sizes", ""),
            "Sizes holds x, which is not a whole number from 1 to 1e12; write for example 1,2,100");
}

}  // namespace
}  // namespace pairs
