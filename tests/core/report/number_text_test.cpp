#include "core/report/number_text.h"

#include <gtest/gtest.h>

#include <cmath>

namespace pairs {
namespace {

TEST(NumberText, GroupsThousands) {
  EXPECT_EQ(count_text(0), "0");
  EXPECT_EQ(count_text(999), "999");
  EXPECT_EQ(count_text(1000), "1,000");
  EXPECT_EQ(count_text(-1234567), "−1,234,567");
}

TEST(NumberText, WritesDurations) {
  EXPECT_EQ(duration_text(0.42), "0.4 s");
  EXPECT_EQ(duration_text(59.4), "59 s");
  EXPECT_EQ(duration_text(61), "1 min 01 s");
  EXPECT_EQ(duration_text(7500), "2 h 05 min");
  EXPECT_EQ(duration_text(INFINITY), "–");
  EXPECT_EQ(clock_text(32), "0:32");
  EXPECT_EQ(clock_text(3909), "1:05:09");
  EXPECT_EQ(clock_text(NAN), "–");
}

TEST(NumberText, WritesNumbersWithErrors) {
  EXPECT_EQ(number_text(-1.23456, 2), "−1.23");
  EXPECT_EQ(number_text(-0.0004, 2), "0.00");
  EXPECT_EQ(number_text(NAN, 2), "–");
  EXPECT_EQ(with_error_text(0.5, 0.01, 3), "0.500 ± 0.010");
  EXPECT_EQ(with_error_text(0.5, NAN, 1), "0.5");
  EXPECT_EQ(flop_text(12.34), "12.3 GFLOP");
  EXPECT_EQ(flop_text(45000), "45 TFLOP");
  EXPECT_EQ(flop_text(999.9999), "1 TFLOP");
  EXPECT_EQ(flop_text(999.6e3), "1 PFLOP");
}

}  // namespace
}  // namespace pairs
