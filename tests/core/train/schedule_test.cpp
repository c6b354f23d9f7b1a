#include <gtest/gtest.h>

#include "core/train/steps/optimize.h"

namespace pairs {
namespace {

TEST(Schedule, WarmsUpThenFallsAlongACosine) {
  OptimizerConfig c;
  c.rate = 2.0;
  c.warmup = 0.1;
  c.floor = 0.5;
  EXPECT_NEAR(learning_rate(c, 0, 1000), 2.0 / 101, 1e-12);
  EXPECT_NEAR(learning_rate(c, 100, 1000), 2.0, 1e-12);
  EXPECT_NEAR(learning_rate(c, 550, 1000), 1.5, 1e-12);
  EXPECT_NEAR(learning_rate(c, 1000, 1000), 1.0, 1e-12);
}

}  // namespace
}  // namespace pairs
