#include "core/train/run/run_name.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/base/temporary_folder.h"

namespace pairs {
namespace {

TEST(RunName, SaysTaskAndTime) {
  EXPECT_THAT(stamped_name("bump-hunt"), testing::MatchesRegex("bump-hunt-20[0-9][0-9][0-9][0-9][0-9][0-9]-"
                                                               "[0-2][0-9][0-5][0-9][0-6][0-9]"));
}

TEST(RunName, CountsOnWhereOneIsThere) {
  const TemporaryFolder folder;
  std::string first, second;
  // The second may turn in between.
  do {
    first = new_run_name("gaussian", folder.path());
    std::filesystem::create_directories(folder.path() / first);
    second = new_run_name("gaussian", folder.path());
  } while (stamped_name("gaussian") != first);
  EXPECT_EQ(second, first + "-2");
  std::filesystem::create_directories(folder.path() / second);
  if (const std::string third = new_run_name("gaussian", folder.path()); third.starts_with(first)) {
    EXPECT_EQ(third, first + "-3");
  }
}

}  // namespace
}  // namespace pairs
