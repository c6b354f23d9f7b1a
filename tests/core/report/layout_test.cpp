#include "core/report/layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/text/error.h"
#include "core/report/ranges.h"

namespace pairs::chart {
namespace {

// Every character 0.6 of the size wide: layout must not depend on a font being there.
double fixed_width(std::string_view text, double size, bool) {
  return 0.6 * size * std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; });
}

Rect box_of(const PlacedText& t) {
  const double w = fixed_width(t.text, t.size, t.bold), h = t.size * 0.73;
  if (t.upright) return {t.at.x - h / 2, t.at.y - w * (1 - t.anchor), h, w};
  return {t.at.x - t.anchor * w, t.at.y - h / 2, w, h};
}

bool overlap(const Rect& a, const Rect& b) {
  const Rect common = intersection(a, b);
  return common.width > 0 && common.height > 0;
}

Line line(const std::string& name, std::vector<double> x, std::vector<double> y) {
  Line l;
  l.name = name;
  l.x = std::move(x);
  l.y = std::move(y);
  return l;
}

Figure one(Plot plot) {
  Figure figure;
  figure.plots = {std::move(plot)};
  return figure;
}

TEST(Layout, NoTwoTextsOverlapAtAnySizeAndScale) {
  for (const double size : {90.0, 140.0, 240.0, 500.0})
    for (const AxisScale scale : {AxisScale::linear, AxisScale::log})
      for (const auto& [low, high] : std::vector<std::pair<double, double>>{
               {1, 1e5}, {0.001, 0.0013}, {12345.6, 98765.4}, {1e-9, 1e9}, {99999, 100001}, {2e7, 3e7}}) {
        Plot plot;
        plot.title = "A title that is long enough to need a second line on the smallest plots";
        plot.x = {"a horizontal axis", scale, low, high};
        plot.y = {"a vertical axis", scale, low, high};
        plot.lines = {line("series", {low, high}, {low, high})};
        Figure figure = one(plot);
        figure.plot_width = size * 4 / 3;
        figure.plot_height = size;
        figure.title = "Figure";
        figure.source = "source";
        const FigureLayout layout = layout_figure(figure, fixed_width);
        std::vector<Rect> boxes;
        for (const PlacedText& t : layout.texts) boxes.push_back(box_of(t));
        for (const PlacedText& t : layout.plots[0].texts) boxes.push_back(box_of(t));
        const Rect page{0, 0, layout.width, layout.height};
        for (std::size_t i = 0; i < boxes.size(); ++i) {
          if (size >= 140) {
            EXPECT_TRUE(page.contains({boxes[i].x, boxes[i].y}) && page.contains({boxes[i].right(), boxes[i].bottom()}))
                << size << " " << low << " " << layout.plots[0].texts.size() << " " << i;
          }
          for (std::size_t j = 0; j < i; ++j)
            EXPECT_FALSE(overlap(boxes[i], boxes[j])) << size << " " << low << " " << high << ": " << i << " " << j;
        }
      }
}

TEST(Layout, PlotsOfAColumnShareTheirSidesAndThoseOfARowTheirHeights) {
  Figure figure;
  figure.columns = 2;
  for (const double top : {1.0, 1e5, 10.0}) {
    Plot plot;
    plot.y.label = top > 5 ? "y" : "";
    plot.lines = {line("", {0, 1}, {0, top})};
    figure.plots.push_back(plot);
  }
  const FigureLayout layout = layout_figure(figure, fixed_width);
  EXPECT_EQ(layout.width, 640);
  EXPECT_EQ(layout.height, 480);
  EXPECT_EQ(layout.plots[0].area.x, layout.plots[2].area.x);
  EXPECT_EQ(layout.plots[0].area.right(), layout.plots[2].area.right());
  EXPECT_EQ(layout.plots[0].area.y, layout.plots[1].area.y);
  EXPECT_EQ(layout.plots[0].area.bottom(), layout.plots[1].area.bottom());
  EXPECT_EQ(layout.plots[2].cell.y, 240);
}

TEST(Layout, NamesEachLookOnceInTheLegend) {
  Plot plot;
  plot.lines = {line("seeds", {0, 1}, {0, 1}), line("seeds", {0, 1}, {1, 0}), line("", {0, 1}, {0, 0})};
  EXPECT_EQ(layout_figure(one(plot), fixed_width).plots[0].legend.entries.size(), 1u);
  plot.legend = false;
  EXPECT_EQ(layout_figure(one(plot), fixed_width).plots[0].legend.box.width, 0);
}

TEST(Layout, PicturesAloneKeepTheirProportions) {
  Plot plot;
  plot.pictures = {{2, 1, {0, 0, 0, 9, 9, 9}, 0, 0, 2, 1}};
  const PlotLayout p = layout_figure(one(plot), fixed_width).plots[0];
  EXPECT_FALSE(p.axes);
  EXPECT_NEAR(p.area.width / p.area.height, 2, 1e-9);
  plot.x.label = "with axes";
  EXPECT_TRUE(layout_figure(one(plot), fixed_width).plots[0].axes);
}

TEST(Ranges, FitTheDataWithAnEmptyNaNOrFlatSeriesToo) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  Plot plot;
  EXPECT_TRUE(layout_figure(one(plot), fixed_width).plots[0].empty);
  plot.lines = {line("", {nan, nan, 1}, {1, nan, inf})};
  EXPECT_TRUE(layout_figure(one(plot), fixed_width).plots[0].empty);
  plot.lines = {line("", {3, 3}, {-7, -7})};
  const PlotLayout flat = layout_figure(one(plot), fixed_width).plots[0];
  EXPECT_FALSE(flat.empty);
  EXPECT_LT(flat.x.low, 3);
  EXPECT_GT(flat.x.high, 3);
  EXPECT_LT(flat.y.low, -7);
  EXPECT_GE(flat.y_ticks.major.size(), 2u);
  plot.lines = {line("", {0, 1}, {-1e308, 1e308})};
  const PlotLayout wide = layout_figure(one(plot), fixed_width).plots[0];
  EXPECT_TRUE(std::isfinite(wide.y.page(1e308)));
}

TEST(Ranges, OfALogarithmicAxisHoldOnlyWhatItCanShow) {
  Plot plot;
  plot.y.scale = AxisScale::log;
  plot.lines = {line("", {0, 1, 2, 3}, {-5, 0, 10, 1000})};
  const PlotLayout p = layout_figure(one(plot), fixed_width).plots[0];
  EXPECT_FALSE(p.empty);
  EXPECT_GT(p.y.low, 5);
  EXPECT_TRUE(std::isnan(p.y.page(0)) && std::isnan(p.y.page(-5)));
  plot.lines = {line("", {0, 1}, {-5, 0})};
  const PlotLayout none = layout_figure(one(plot), fixed_width).plots[0];
  EXPECT_TRUE(none.empty);
  EXPECT_EQ(none.y.low, 1);
  EXPECT_EQ(none.y.high, 10);
}

TEST(Geometry, LinesBreakAtGapsAndEndAtTheArea) {
  const Rect area{0, 0, 100, 100};
  const AxisMap x{AxisScale::linear, 0, 10, 0, 100}, y{AxisScale::linear, 0, 10, 100, 0};
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> xs = {0, 1, 2, 3, 4}, ys = {0, 1, nan, 3, 1e300};
  const auto pieces = page_lines(xs, ys, x, y, area);
  ASSERT_EQ(pieces.size(), 2u);
  EXPECT_EQ(pieces[0].size(), 2u);
  for (const auto& piece : pieces)
    for (const Point p : piece) EXPECT_TRUE(area.grown(5).contains(p)) << p.x << " " << p.y;
}

TEST(Geometry, LongLinesKeepTheirExtremes) {
  const Rect area{0, 0, 100, 100};
  const AxisMap x{AxisScale::linear, 0, 1, 0, 100}, y{AxisScale::linear, -1, 1, 100, 0};
  std::vector<double> xs, ys;
  for (int i = 0; i < 200000; ++i) {
    xs.push_back(i / 2e5);
    ys.push_back(i == 77777 ? 0.93 : i == 123456 ? -0.87 : 0.1 * std::sin(0.37 * i));
  }
  const auto pieces = page_lines(xs, ys, x, y, area);
  ASSERT_EQ(pieces.size(), 1u);
  EXPECT_LE(pieces[0].size(), 4 * 201u);
  const auto [top, bottom] =
      std::minmax_element(pieces[0].begin(), pieces[0].end(), [](Point a, Point b) { return a.y < b.y; });
  EXPECT_NEAR(y.value(top->y), 0.93, 1e-12);
  EXPECT_NEAR(y.value(bottom->y), -0.87, 1e-12);
}

TEST(Geometry, ACloseLookAtALongLineShowsEveryPointInside) {
  const Rect area{0, 0, 100, 100};
  for (const AxisScale scale : {AxisScale::linear, AxisScale::log}) {
    const AxisMap x{scale, 5000, 5050, 0, 100}, y{AxisScale::linear, -2, 2, 100, 0};
    std::vector<double> xs, ys;
    for (int i = 1; i <= 20000; ++i) {
      xs.push_back(i);
      ys.push_back(std::sin(0.7 * i));
    }
    const auto pieces = page_lines(xs, ys, x, y, area);
    ASSERT_EQ(pieces.size(), 1u);
    EXPECT_LT(pieces[0].size(), 70u);
    for (int i = 5000; i <= 5050; ++i) {
      const Point p{x.page(i), y.page(std::sin(0.7 * i))};
      EXPECT_TRUE(std::any_of(pieces[0].begin(), pieces[0].end(), [&](Point q) {
        return std::fabs(p.x - q.x) < 1e-9 && std::fabs(p.y - q.y) < 1e-9;
      })) << i;
    }
  }
}

TEST(Geometry, LongBandsCoverTheWholeHeightOfTheirColumns) {
  const Rect area{0, 0, 100, 100};
  const AxisMap x{AxisScale::linear, 0, 1, 0, 100}, y{AxisScale::linear, -1, 1, 100, 0};
  std::vector<double> xs, lower, upper;
  for (int i = 0; i < 100000; ++i) {
    xs.push_back(i / 1e5);
    lower.push_back(i == 40000 ? -0.8 : -0.2);
    upper.push_back(i == 70000 ? 0.9 : 0.3);
  }
  const auto bands = page_bands(xs, lower, upper, x, y, area);
  ASSERT_EQ(bands.size(), 1u);
  EXPECT_LE(bands[0].size(), 4 * 202u);
  double least = 0, most = 0, covered = 0;
  for (std::size_t i = 0; i < bands[0].size(); ++i) {
    const Point a = bands[0][i], b = bands[0][(i + 1) % bands[0].size()];
    least = std::min(least, y.value(a.y));
    most = std::max(most, y.value(a.y));
    covered += (a.x * b.y - b.x * a.y) / 2;
  }
  EXPECT_NEAR(least, -0.8, 1e-9);
  EXPECT_NEAR(most, 0.9, 1e-9);
  EXPECT_NEAR(std::fabs(covered), 25 * 100, 60);  // 0.5 of a height of 2, and two columns that reach further
}

TEST(Geometry, AxisMapsInvert) {
  for (const AxisScale scale : {AxisScale::linear, AxisScale::log}) {
    const AxisMap map{scale, 0.01, 500, 20, 320};
    for (const double v : {0.01, 0.5, 77.0, 500.0}) EXPECT_NEAR(map.value(map.page(v)) / v, 1, 1e-12);
  }
}

TEST(CheckFigure, NamesWhatDoesNotFit) {
  const auto message = [](const Figure& figure) -> std::string {
    try {
      check_figure(figure);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(message(Figure{}), testing::HasSubstr("no plots"));
  Plot plot;
  plot.title = "Loss";
  plot.lines = {line("train", {1, 2}, {1})};
  EXPECT_EQ(message(one(plot)), "plot 'Loss' of the figure: line 'train' has 2 x and 1 y values; give as many of each");
  plot.lines[0].y = {1, 2};
  EXPECT_EQ(message(one(plot)), "");
  plot.lines[0].lower = {1, 2};
  EXPECT_THAT(message(one(plot)), testing::HasSubstr("band of line 'train'"));
  plot.lines.clear();
  plot.y = {"", AxisScale::log, 0, 5};
  EXPECT_THAT(message(one(plot)), testing::HasSubstr("logarithmic y axis"));
  plot.y = {"", AxisScale::linear, 5, 0};
  EXPECT_THAT(message(one(plot)), testing::HasSubstr("rising order"));
  plot.y = {};
  plot.bars = {{"h", SeriesRole::pairs, {0, 1}, {1, 2}}};
  EXPECT_THAT(message(one(plot)), testing::HasSubstr("one edge more"));
  plot.bars = {{"h", SeriesRole::pairs, {0, 2, 1}, {1, 2}}};
  EXPECT_THAT(message(one(plot)), testing::HasSubstr("rising order"));
  plot.bars.clear();
  plot.pictures = {{2, 2, {1, 2, 3}}};
  EXPECT_THAT(message(one(plot)), testing::HasSubstr("three a pixel"));
  Figure narrow = one(Plot{});
  narrow.plot_width = 3;
  EXPECT_THAT(message(narrow), testing::HasSubstr("60 to 5,000"));
  narrow = one(Plot{});
  narrow.columns = 0;
  EXPECT_THAT(message(narrow), testing::HasSubstr("0 columns"));
}

// A posterior far outside of training has widths that underflow or overflow: the plot is drawn all the same, and can be
// zoomed out of.
TEST(Ranges, OfLogarithmicAxesStayFinite) {
  for (const std::vector<double>& values :
       std::vector<std::vector<double>>{{5e-324, 1e308}, {5e-324, 5e-324}, {1e-310, 1}}) {
    Plot plot;
    plot.y = {"sd", AxisScale::log};
    Line line;
    line.x = {1, 2};
    line.y = values;
    plot.lines = {line};
    const Range range = chart::y_range(plot, chart::x_range(plot));
    EXPECT_GT(range.low, 1e-300);
    EXPECT_LT(range.high, 1e300);
    EXPECT_LT(range.low, range.high);
    Figure figure;
    figure.plots = {plot};
    figure.plots.front().y.low = range.low / 100;
    figure.plots.front().y.high = range.high * 100;
    EXPECT_NO_THROW(check_figure(figure)) << "zoomed out of";
  }
}

}  // namespace
}  // namespace pairs::chart
