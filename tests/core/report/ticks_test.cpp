#include "core/report/ticks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace pairs::chart {
namespace {

using testing::ElementsAre;

std::vector<double> values(const Ticks& ticks) {
  std::vector<double> v;
  for (const Tick& tick : ticks.major) v.push_back(tick.value);
  return v;
}

std::vector<std::string> labels(const Ticks& ticks) {
  std::vector<std::string> v;
  for (const Tick& tick : ticks.major) v.push_back(tick.label);
  return v;
}

Ticks at_most(AxisScale scale, double low, double high, std::size_t count) {
  return choose_ticks(scale, low, high, [&](const Ticks& ticks) { return ticks.major.size() <= count; });
}

TEST(LinearTicks, AreExactDecimals) {
  const Ticks ticks = linear_ticks(0, 1, 0.1);
  EXPECT_THAT(values(ticks), ElementsAre(0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0));
  EXPECT_EQ(ticks.major[3].label, "0.3");
  EXPECT_EQ(ticks.minor.size(), 40u);
}

TEST(LinearTicks, UseTheMinusSignAndNoNegativeZero) {
  EXPECT_THAT(labels(linear_ticks(-1, 1, 0.5)), ElementsAre("−1.0", "−0.5", "0.0", "0.5", "1.0"));
  EXPECT_FALSE(std::signbit(linear_ticks(-1, 1, 0.5).major[2].value));
}

TEST(LinearTicks, GroupThousands) {
  EXPECT_THAT(labels(linear_ticks(0, 20000, 10000)), ElementsAre("0", "10,000", "20,000"));
  EXPECT_EQ(grouped_number(-1234567.5, 1), "−1,234,567.5");
  EXPECT_EQ(grouped_number(999, 0), "999");
}

TEST(LinearTicks, TakeOutPowersOfTenOfLargeAndSmallNumbers) {
  const Ticks large = linear_ticks(0, 4e7, 1e7);
  EXPECT_EQ(large.exponent, 7);
  EXPECT_THAT(labels(large), ElementsAre("0", "1", "2", "3", "4"));
  const Ticks small = linear_ticks(0, 4e-5, 2e-5);
  EXPECT_EQ(small.exponent, -5);
  EXPECT_THAT(labels(small), ElementsAre("0", "2", "4"));
}

TEST(LinearTicks, MinorTicksDivideTheStep) {
  EXPECT_THAT(linear_ticks(0, 2, 2).minor, ElementsAre(0.5, 1.0, 1.5));
  EXPECT_THAT(linear_ticks(0, 5, 5).minor, ElementsAre(1, 2, 3, 4));
}

TEST(ChooseTicks, StepsAreOneTwoOrFive) {
  EXPECT_THAT(values(at_most(AxisScale::linear, 0, 10, 11)), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10));
  EXPECT_THAT(values(at_most(AxisScale::linear, 0, 10, 10)), ElementsAre(0, 2, 4, 6, 8, 10));
  EXPECT_THAT(values(at_most(AxisScale::linear, 0, 10, 5)), ElementsAre(0, 5, 10));
  EXPECT_THAT(values(at_most(AxisScale::linear, 0.13, 0.68, 6)), ElementsAre(0.2, 0.3, 0.4, 0.5, 0.6));
}

TEST(ChooseTicks, ThinTheCoarsestWhereNothingFits) {
  EXPECT_THAT(values(at_most(AxisScale::linear, 15, 95, 2)), ElementsAre(20, 60));
  for (const AxisScale scale : {AxisScale::linear, AxisScale::log})
    EXPECT_EQ(choose_ticks(scale, 1, 1000, [](const Ticks&) { return false; }).major.size(), 1u);
}

TEST(LogTicks, LabelDecadesWithMinorTicksBetween) {
  const Ticks ticks = at_most(AxisScale::log, 1, 1000, 4);
  EXPECT_THAT(values(ticks), ElementsAre(1, 10, 100, 1000));
  EXPECT_THAT(labels(ticks), ElementsAre("1", "10", "100", "1,000"));
  EXPECT_EQ(ticks.minor.size(), 24u);
  EXPECT_DOUBLE_EQ(ticks.minor[0], 2);
  EXPECT_DOUBLE_EQ(ticks.minor[23], 900);
}

TEST(LogTicks, WritePowersBeyondPlainNumbers) {
  EXPECT_THAT(labels(at_most(AxisScale::log, 1e-4, 1e-1, 4)), ElementsAre("10⁻⁴", "10⁻³", "10⁻²", "10⁻¹"));
  EXPECT_THAT(labels(at_most(AxisScale::log, 1e6, 1e8, 3)), ElementsAre("10⁶", "10⁷", "10⁸"));
}

TEST(LogTicks, SkipDecadesWhereThereAreMany) {
  const Ticks ticks = at_most(AxisScale::log, 1, 1e12, 5);
  EXPECT_THAT(values(ticks), ElementsAre(1, 1e3, 1e6, 1e9, 1e12));
  EXPECT_EQ(ticks.minor.size(), 8u);  // the decades between
}

TEST(LogTicks, LabelOneTwoFiveWithinAFewDecades) {
  EXPECT_THAT(labels(at_most(AxisScale::log, 0.5, 20, 6)), ElementsAre("0.5", "1", "2", "5", "10", "20"));
}

TEST(LogTicks, StepLinearlyWithinLessThanADecade) {
  EXPECT_THAT(values(at_most(AxisScale::log, 2.1, 4.9, 3)), ElementsAre(3, 4));
}

TEST(LogTicks, ReachTheEndsOfDoubles) {
  const Ticks ticks = at_most(AxisScale::log, 1e-300, 1e300, 8);
  EXPECT_GE(ticks.major.size(), 2u);
  for (const Tick& tick : ticks.major) EXPECT_TRUE(std::isfinite(tick.value) && tick.value > 0);
}

TEST(Superscript, WritesAnyInteger) {
  EXPECT_EQ(superscript(-1203), "⁻¹²⁰³");
}

}  // namespace
}  // namespace pairs::chart
