#include "app/posterior/caveats/disagreement_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tasks/registry.h"

namespace pairs {
namespace {

using ::testing::HasSubstr;

// The runs' means have half of the variance, or the divergence is that of normals of which this holds.
TEST(DisagreementText, WarnsWhereTheRunCountsAsMuchAsTheData) {
  const TaskInfo info = built_in_tasks()->make("bump-hunt")->info();
  EXPECT_EQ(disagreement_warning({}, info), "") << "no ensemble";
  EXPECT_EQ(disagreement_warning({.members = 3, .nat = 0.33, .nat_se = 0.01, .spread = {0.70}}, info), "");
  EXPECT_THAT(disagreement_warning({.members = 3, .nat = 0.33, .nat_se = 0.01, .spread = {0.72}}, info),
              HasSubstr("their means of θ spread by 0.72 of its sd"));
  EXPECT_THAT(disagreement_warning({.members = 2, .nat = 0.35, .nat_se = 0.01, .spread = {0.1}}, info),
              HasSubstr("they differ by 0.35 nat of at most 0.69"));
}

}  // namespace
}  // namespace pairs
