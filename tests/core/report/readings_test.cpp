#include "core/report/readings.h"

#include <gtest/gtest.h>

#include <cmath>

namespace pairs::chart {
namespace {

TEST(AxisValue, HasTheDigitsThatTheAxisCanTellApart) {
  const auto linear = [](double low, double high) { return AxisMap{AxisScale::linear, low, high, 0, 100}; };
  EXPECT_EQ(axis_value(0.12345, linear(0, 1)), "0.123");
  EXPECT_EQ(axis_value(1234.5, linear(0, 2000)), "1,234");
  EXPECT_EQ(axis_value(52000, linear(0, 1e5)), "52,000");
  EXPECT_EQ(axis_value(-0.5, linear(-1, 1)), "−0.500");
  EXPECT_EQ(axis_value(0.000123, AxisMap{AxisScale::log, 1e-6, 1, 0, 100}), "0.0001230");
  EXPECT_EQ(axis_value(1.5e-7, AxisMap{AxisScale::log, 1e-9, 1, 0, 100}), "1.500×10⁻⁷");
  EXPECT_EQ(axis_value(NAN, linear(0, 1)), "–");
}

TEST(Readings, BetweenPointsFollowTheDrawnSegment) {
  Plot plot;
  plot.lines.resize(2);
  plot.lines[0].x = {0, 10};
  plot.lines[0].y = {1, 100};
  plot.lines[1].x = {0, 4.9, 10};
  plot.lines[1].y = {2, 3, 4};
  PlotLayout layout;
  layout.area = {0, 0, 100, 100};
  layout.x = {AxisScale::linear, 0, 10, 0, 100};
  layout.y = {AxisScale::log, 1, 100, 100, 0};
  LineOrder order;
  const Readings found = readings(plot, layout, 0, {50, 50}, 8, order);
  ASSERT_EQ(found.rows.size(), 2u);
  EXPECT_NEAR(found.page_x, 49, 1e-9);
  EXPECT_NEAR(layout.y.value(found.rows[0].at.y), std::pow(100, 0.49), 1e-9);  // straight on a logarithmic axis
  EXPECT_EQ(found.rows[1].value, "3.000");
}

TEST(Readings, OfBarsNameTheBin) {
  Plot plot;
  plot.x.label = "rank";
  plot.bars = {{"ours", SeriesRole::pairs, {0, 5, 10}, {3, 4}}};
  PlotLayout layout;
  layout.area = {0, 0, 100, 100};
  layout.x = {AxisScale::linear, 0, 10, 0, 100};
  layout.y = {AxisScale::linear, 0, 5, 100, 0};
  LineOrder order;
  const Readings found = readings(plot, layout, 0, {70, 50}, 8, order);
  EXPECT_EQ(found.heading, "rank  5.00 to 10.00");
  ASSERT_EQ(found.rows.size(), 1u);
  EXPECT_EQ(found.rows[0].value, "4.000");
  EXPECT_TRUE(readings(plot, layout, 0, {-5, 50}, 8, order).rows.empty());
}

}  // namespace
}  // namespace pairs::chart
