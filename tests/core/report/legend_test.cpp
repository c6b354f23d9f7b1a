// Legends stand where no data are, whatever the data are.
#include "core/report/legend.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/report/marks.h"

namespace pairs::chart {
namespace {

double text_width(std::string_view text, double size, bool) {
  return 0.55 * size * std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; });
}

// A plot that has something everywhere: lines with bands, bars, dots, rings, rules and pictures up to its edges.
Plot crowded(int names, double height = 1) {
  Plot plot;
  plot.title = "A plot full of everything";
  plot.x = {"x", AxisScale::linear, 0, 1};
  plot.y = {"y", AxisScale::linear, 0, height};
  Bars bars{"bars", SeriesRole::other, {}, {}};
  for (int i = 0; i <= 20; ++i) bars.edges.push_back(i / 20.0);
  bars.heights.assign(20, 0.97 * height);
  plot.bars.push_back(bars);
  Scatter dots{"dots", SeriesRole::naive, {}, {}};
  for (int i = 0; i <= 40; ++i)
    for (int j = 0; j <= 40; ++j) {
      dots.x.push_back(i / 40.0);
      dots.y.push_back(height * j / 40.0);
    }
  plot.scatters.push_back(dots);
  for (int k = 0; k < names; ++k) {
    Line line;
    line.name = "a series of number " + std::to_string(k);
    line.role = k % 2 == 0 ? SeriesRole::pairs : SeriesRole::n1;
    line.markers = true;
    for (int i = 0; i <= 50; ++i) {
      line.x.push_back(i / 50.0);
      line.y.push_back(height * (0.5 + 0.5 * std::sin(0.3 * i + k)));
      line.lower.push_back(0);
      line.upper.push_back(height);
    }
    plot.lines.push_back(line);
  }
  plot.contours.push_back({"ring", SeriesRole::gaussian, LineStyle::solid, {0, 1, 1, 0, 0}, {0, 0, height, height, 0}});
  plot.rules.push_back({"truth", SeriesRole::truth, 0.5});
  return plot;
}

Figure figure_of(std::vector<Plot> plots, double width, double height, std::int64_t columns = 1) {
  Figure figure;
  figure.plots = std::move(plots);
  figure.columns = columns;
  figure.plot_width = width;
  figure.plot_height = height;
  return figure;
}

TEST(Legend, CoversNoDataAtAnySizeWithAnyNumberOfNames) {
  for (const auto& [width, height] : {std::pair{320.0, 240.0}, {180.0, 200.0}, {700.0, 300.0}, {400.0, 130.0}})
    for (const int names : {1, 3, 9})
      for (const std::int64_t columns : {1, 3}) {
        std::vector<Plot> plots(static_cast<std::size_t>(columns), crowded(names));
        const Figure figure = figure_of(std::move(plots), width, height, columns);
        const FigureLayout page = layout_figure(figure, text_width);
        for (std::size_t i = 0; i < page.plots.size(); ++i) {
          const PlotLayout& p = page.plots[i];
          EXPECT_FALSE(legend_over_data(figure.plots[i], p)) << width << "x" << height << " " << names;
          if (names > 3 && std::min(width, height) < 200) continue;  // no room for both
          EXPECT_EQ(p.legend.entries.size(), static_cast<std::size_t>(names) + 4) << width << "x" << height;
          EXPECT_GE(p.area.height, 30);
          EXPECT_GE(p.area.width, 30);
        }
      }
}

TEST(Legend, StandsClearOfTitlesAndLabels) {
  for (const int with : {0, 1, 2}) {
    std::vector<Plot> plots(3, crowded(3));
    for (int i = 0; i < 3; ++i) plots[static_cast<std::size_t>(i)].legend = with == 2 || i <= with - 1;
    const FigureLayout page = layout_figure(figure_of(plots, 300, 220, 3), text_width);
    for (const PlotLayout& p : page.plots)
      for (const PlacedText& t : p.texts) {
        if (t.upright || p.legend.box.width <= 0) continue;
        const double wide = text_width(t.text, t.size, t.bold), high = t.size * 0.73;
        const Rect common = intersection({t.at.x - t.anchor * wide, t.at.y - high / 2, wide, high}, p.legend.box);
        EXPECT_TRUE(common.width <= 0 || common.height <= 0) << t.text;
      }
  }
}

TEST(Legend, StaysWhereItIsWhileDataMove) {
  const auto place = [](double height, const std::vector<LabelRoom>& least) {
    Plot plot = crowded(3);
    plot.bars.clear();
    plot.scatters.clear();
    plot.y = {"density", AxisScale::linear, 0, height};
    for (Line& line : plot.lines)
      for (double& y : line.y) y *= height;
    return layout_figure(figure_of({plot}, 420, 260), text_width, least).plots[0];
  };
  const std::vector<LabelRoom> least = {{text_width("0.00", kTickText, false), 0}};
  const PlotLayout first = place(1, least);
  for (const double height : {0.5, 3.0, 40.0, 800.0}) {
    const PlotLayout p = place(height, least);
    EXPECT_EQ(p.legend.box.x, first.legend.box.x) << height;
    EXPECT_EQ(p.legend.box.y, first.legend.box.y) << height;
    EXPECT_EQ(p.area.x, first.area.x) << height;
    EXPECT_EQ(p.area.width, first.area.width) << height;
  }
}

TEST(Legend, TakesTheSideOfAWideLonePlotWhereThatLeavesMore) {
  const PlotLayout wide = layout_figure(figure_of({crowded(9)}, 700, 220), text_width).plots[0];
  EXPECT_GE(wide.legend.box.x, wide.area.right());
  EXPECT_GT(wide.area.height, 150);
  const PlotLayout narrow = layout_figure(figure_of({crowded(2)}, 320, 240), text_width).plots[0];
  EXPECT_LE(narrow.legend.box.bottom(), narrow.area.y + 1e-9);
}

TEST(Legend, IsLeftOutOnlyWhereNothingWouldBeLeftOfThePlot) {
  EXPECT_EQ(layout_figure(figure_of({crowded(9)}, 100, 70), text_width).plots[0].legend.box.width, 0);
  EXPECT_GT(layout_figure(figure_of({crowded(1)}, 320, 120), text_width).plots[0].legend.box.width, 0);
}

TEST(Legend, CutsNamesThatAreWiderThanThePlot) {
  Plot plot = crowded(1);
  plot.lines[0].name = std::string(200, 'n');
  const PlotLayout p = layout_figure(figure_of({plot}, 200, 240), text_width).plots[0];
  ASSERT_FALSE(p.legend.entries.empty());
  EXPECT_NE(p.legend.entries[0].name.find("…"), std::string::npos);
  EXPECT_LE(p.legend.box.right(), 200);
}

// The check that the window's tests rest on sees what is covered.
TEST(Legend, OverDataIsSeen) {
  Plot plot;
  plot.lines = {{"a", SeriesRole::pairs, LineStyle::solid, false, {0, 1}, {0, 1}, {}, {}}};
  PlotLayout p = layout_figure(figure_of({plot}, 320, 240), text_width).plots[0];
  EXPECT_FALSE(legend_over_data(plot, p));
  p.legend.box.x = p.area.x + p.area.width / 2 - 10;
  p.legend.box.y = p.area.y + p.area.height / 2 - 10;
  EXPECT_TRUE(legend_over_data(plot, p));
  p.legend.box.x = p.area.x + 2;
  p.legend.box.y = p.area.y + 2;  // a free corner
  EXPECT_FALSE(legend_over_data(plot, p));
  p.legend.box.x = -50;  // outside of its cell
  EXPECT_TRUE(legend_over_data(plot, p));
}

}  // namespace
}  // namespace pairs::chart
