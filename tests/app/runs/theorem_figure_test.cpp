#include "app/runs/theorem_figure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/text/error.h"

namespace pairs {
namespace {

// A log of two validations, with the same 1 − R² of two statistics at both but for a factor of ten.
TheoremCurve curve(const std::string& name, const std::string& label, double first, double second) {
  TheoremCurve out{name, "pairs", label};
  for (const double factor : {1.0, 0.1}) {
    Event event;
    event.type = EventType::loss;
    event.step = factor == 1.0 ? 10 : 20;
    event.epoch = event.step / 10 - 1;
    event.values = {{"train", 1.0}, {"validation", 1.0}, {"unexplained", {factor * first, factor * second}}};
    out.progress.add(event);
  }
  return out;
}

TEST(TheoremFigure, ShowsTheLargestAndEachStatistic) {
  const Figure figure = theorem_figure({curve("a", "a", 0.2, 0.4)}, {"x", "x²"});
  ASSERT_EQ(figure.plots.size(), 3u);
  const std::vector<std::string> titles = {"largest of all", "x", "x²"};
  const std::vector<double> values = {0.4, 0.2, 0.4};
  for (std::size_t k = 0; k < 3; ++k) {
    const Plot& plot = figure.plots[k];
    EXPECT_EQ(plot.title, titles[k]);
    EXPECT_EQ(plot.y.scale, AxisScale::log);
    ASSERT_EQ(plot.lines.size(), 1u);
    EXPECT_EQ(plot.lines[0].name, "a");
    EXPECT_EQ(plot.lines[0].x, (std::vector<double>{10, 20}));
    EXPECT_DOUBLE_EQ(plot.lines[0].y[0], values[k]);
    EXPECT_DOUBLE_EQ(plot.lines[0].y[1], 0.1 * values[k]);
    EXPECT_TRUE(plot.lines[0].lower.empty());
  }
  EXPECT_EQ(figure.source, "a");
}

TEST(TheoremFigure, DrawsSeedsAsABandAboutTheirMean) {
  const Figure figure = theorem_figure(
      {curve("a", "PAIRS", 0.2, 0.4), curve("c", "c", 0.5, 0.3), curve("b", "PAIRS", 0.1, 0.6)}, {"x", "x²"});
  const std::vector<Line>& lines = figure.plots[0].lines;
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].name, "PAIRS (2 seeds)");
  EXPECT_DOUBLE_EQ(lines[0].y[0], 0.5);
  EXPECT_DOUBLE_EQ(lines[0].lower[0], 0.4);
  EXPECT_DOUBLE_EQ(lines[0].upper[0], 0.6);
  EXPECT_EQ(lines[1].name, "c");
  EXPECT_DOUBLE_EQ(lines[1].y[0], 0.5);
  EXPECT_EQ(figure.source, "a, c, b");
}

TEST(TheoremFigure, RefusesLogsThatTellNothing) {
  const auto refusal = [](const TheoremCurve& run) {
    try {
      theorem_figure({run}, {"x", "x²", "x³"});
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(refusal({"young", "pairs", "young"}), ::testing::HasSubstr("young has recorded nothing yet"));
  EXPECT_THAT(refusal(curve("old", "old", 1, 1)), ::testing::HasSubstr("The log of old holds no 1 − R²"));
}

}  // namespace
}  // namespace pairs
