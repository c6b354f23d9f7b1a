#include "core/report/joined_layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/base/text/error.h"
#include "core/report/layout.h"

namespace pairs::chart {
namespace {

double joined_text_width(std::string_view text, double size, bool) {
  return 0.6 * size * static_cast<double>(text.size());
}

// A triangle of `count` columns, its outer axes numbered.
Figure triangle(std::size_t count) {
  Figure figure;
  figure.title = "a corner";
  figure.columns = static_cast<std::int64_t>(count);
  figure.plot_width = figure.plot_height = 80;
  figure.column_shares.assign(count, 1);
  figure.row_shares.assign(count, 1);
  for (std::size_t row = 0; row < count; ++row)
    for (std::size_t column = 0; column < count; ++column) {
      Plot plot;
      plot.blank = column > row;
      plot.x = {row + 1 == count ? "x" : "", AxisScale::linear, 0, 1, row + 1 == count};
      plot.y = {column == 0 ? "y" : "", AxisScale::linear, 0, 1, column == 0};
      Line line;
      line.name = "a series";
      line.x = {0, 1};
      line.y = {0, 1};
      plot.lines.push_back(line);
      figure.plots.push_back(plot);
    }
  return figure;
}

TEST(JoinedLayout, AreasAreOfOneSizeAndAlign) {
  for (const std::size_t count : {2u, 4u, 8u}) {
    const FigureLayout layout = layout_figure(triangle(count), joined_text_width);
    const Rect& first = layout.plots[0].area;
    for (std::size_t row = 0; row < count; ++row)
      for (std::size_t column = 0; column <= row; ++column) {
        const PlotLayout& plot = layout.plots[row * count + column];
        EXPECT_NEAR(plot.area.width, first.width, 1e-9);
        EXPECT_NEAR(plot.area.height, first.height, 1e-9);
        EXPECT_NEAR(plot.area.x, first.x + static_cast<double>(column) * (first.width + kJoinedGap), 1e-9);
        EXPECT_NEAR(plot.area.y, first.y + static_cast<double>(row) * (first.height + kJoinedGap), 1e-9);
        EXPECT_LE(plot.area.right(), layout.width);
        EXPECT_LE(plot.area.bottom(), layout.height);
        EXPECT_TRUE(plot.cell.contains({plot.area.x, plot.area.y}));
        EXPECT_TRUE(plot.cell.contains({plot.area.right(), plot.area.bottom()}));
        if (row + 1 < count && column > 0) {
          EXPECT_TRUE(plot.texts.empty()) << "within the figure nothing is numbered";
        }
      }
  }
}

TEST(JoinedLayout, TheLegendStandsInTheEmptyPlacesOrAboveAll) {
  const FigureLayout layout = layout_figure(triangle(4), joined_text_width);
  const PlotLayout& first = layout.plots[0];
  EXPECT_GE(first.legend.box.x, first.area.right());
  EXPECT_LE(first.legend.box.right(), first.cell.right());
  Figure narrow = triangle(2);
  narrow.plot_width = 160;
  narrow.plots[0].lines[0].name = "a series with a name that has no room";
  const FigureLayout above = layout_figure(narrow, joined_text_width);
  EXPECT_LE(above.plots[0].legend.box.bottom(), above.plots[0].area.y);
  EXPECT_GE(above.plots[0].legend.box.y, above.plots[0].cell.y);
  EXPECT_EQ(above.plots[0].legend.entries[0].name, narrow.plots[0].lines[0].name);
}

TEST(JoinedLayout, SharesSayHowLargeColumnsAndRowsAre) {
  Figure figure = triangle(2);
  figure.column_shares = {3, 1};
  figure.row_shares = {1, 3};
  const FigureLayout layout = layout_figure(figure, joined_text_width);
  EXPECT_NEAR(layout.plots[2].area.width, 3 * layout.plots[3].area.width, 1e-9);
  EXPECT_NEAR(layout.plots[2].area.height, 3 * layout.plots[0].area.height, 1e-9);
  figure.row_shares = {1};
  EXPECT_THROW(layout_figure(figure, joined_text_width), Error);
  figure.row_shares = {1, -1};
  EXPECT_THROW(layout_figure(figure, joined_text_width), Error);
}

// A turned line and band are those of the upright plot with x and y exchanged.
TEST(JoinedLayout, ATurnedPlotRunsAlongItsYAxis) {
  Figure figure;
  figure.plot_width = figure.plot_height = 200;
  Plot plot;
  plot.turned = true;
  plot.legend = false;
  plot.x = {"density", AxisScale::linear, 0, 10};
  plot.y = {"θ", AxisScale::linear, 0, 1};
  Line line;
  line.x = {0, 0.5, 1};
  line.y = {1, 9, 1};
  plot.lines.push_back(line);
  plot.rules.push_back({"truth", SeriesRole::truth, 0.5});
  figure.plots.push_back(plot);
  const std::string turned = figure_svg(figure);
  std::swap(figure.plots[0].lines[0].x, figure.plots[0].lines[0].y);
  figure.plots[0].turned = false;
  figure.plots[0].rules.clear();
  const std::string upright = figure_svg(figure);
  const auto path = [](const std::string& svg) {
    const std::size_t at = svg.find("\"line\"");
    return at == svg.npos ? "" : svg.substr(at, svg.find("</g>", at) - at);
  };
  ASSERT_NE(path(turned), "") << turned;
  EXPECT_EQ(path(turned), path(upright));
  EXPECT_THAT(turned, testing::HasSubstr("truth"));
}

}  // namespace
}  // namespace pairs::chart
