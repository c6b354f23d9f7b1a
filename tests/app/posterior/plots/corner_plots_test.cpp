#include "app/posterior/plots/corner_plots.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "core/base/numbers/random.h"
#include "core/nuisance_posterior.h"
#include "core/report/layout.h"

namespace pairs {
namespace {

// Draws of `count` targets, each with the one before it as half of it.
PosteriorNumbers drawn_numbers(std::size_t count, const std::string& name, SeriesRole role, bool ours) {
  PosteriorNumbers out;
  out.name = name;
  out.role = role;
  out.ours = ours;
  Stream stream(11, 2);
  std::vector<double> before(2000, 0);
  for (std::size_t t = 0; t < count; ++t) {
    for (double& value : before) value = 0.5 * value + stream.normal64();
    out.draws.push_back(before);
    CellDensity smooth = kernel_density(before);
    out.cells.push_back({smooth.low, smooth.high, smooth.density.size()});
    out.targets.push_back(cell_numbers(out.cells.back(), smooth.density));
    out.marginals.push_back(std::move(smooth.density));
  }
  return out;
}

std::vector<Target> some_targets(std::size_t count) {
  std::vector<Target> targets;
  for (std::size_t t = 0; t < count; ++t) {
    Target target;
    target.name = "t" + std::to_string(t);
    target.label = "θ" + std::to_string(t);
    target.low = target.view_low = -5;
    target.high = target.view_high = 5;
    targets.push_back(target);
  }
  return targets;
}

Figure corner(std::size_t count, std::vector<double> truth = {}) {
  const std::vector<Target> targets = some_targets(count);
  const std::vector<PosteriorNumbers> series = {drawn_numbers(count, "PAIRS", SeriesRole::pairs, true),
                                                drawn_numbers(count, "exact", SeriesRole::exact, false),
                                                drawn_numbers(count, "pinned", SeriesRole::ghost, false)};
  if (truth.empty()) truth.assign(count, 0.25);
  Figure figure;
  set_corner(figure, series, targets, truth, StableAxes(targets).update(series, truth));
  return figure;
}

// An open mesh has an elongation and no volume: the legend names the line, which only the second plot has.
TEST(CornerPlots, TheLegendNamesATruthOfLaterTargetsAlone) {
  const Figure figure = corner(2, {NAN, 0.25});
  bool named = false;
  for (const chart::LegendEntry& entry : chart::legend_entries(figure.plots.front())) named |= entry.name == "truth";
  EXPECT_TRUE(named);
  const std::string csv = figure_csv(figure), svg = figure_svg(figure);
  EXPECT_EQ(csv.find("rule,nan"), csv.npos) << csv;
  EXPECT_EQ(svg.find("nan"), svg.npos);
  for (const chart::LegendEntry& entry : chart::legend_entries(corner(2, {NAN, NAN}).plots.front()))
    EXPECT_NE(entry.name, "truth");
}

TEST(CornerPlots, SharesAxesInColumnsAndRowsForAnyNumberOfTargets) {
  for (std::size_t count = 3; count <= kMostCorner; ++count) {
    const Figure figure = corner(count);
    ASSERT_EQ(figure.plots.size(), count * count);
    for (std::size_t row = 0; row < count; ++row)
      for (std::size_t column = 0; column < count; ++column) {
        const Plot& plot = figure.plots[row * count + column];
        ASSERT_EQ(plot.blank, column > row);
        if (plot.blank) continue;
        const Plot& foot = figure.plots[(count - 1) * count + column];
        EXPECT_EQ(plot.x.shared, "t" + std::to_string(column));
        EXPECT_EQ(plot.x.low, foot.x.low);
        EXPECT_EQ(plot.x.high, foot.x.high);
        // Numbers and names at the outer edge alone.
        EXPECT_EQ(plot.x.numbers, row + 1 == count);
        EXPECT_EQ(plot.x.label.empty(), row + 1 != count);
        EXPECT_EQ(plot.y.numbers, column == 0 && row > 0);
        if (row == column) {
          ASSERT_EQ(plot.rules.size(), 1u);
          EXPECT_EQ(plot.rules[0].x, 0.25);
          EXPECT_TRUE(plot.contours.empty());
          continue;
        }
        EXPECT_EQ(plot.y.shared, "t" + std::to_string(row));
        for (const char* name : {"PAIRS", "exact", "pinned"})
          EXPECT_TRUE(std::any_of(plot.contours.begin(), plot.contours.end(),
                                  [&](const Contour& contour) { return contour.name == name; }))
              << name << " " << row << " " << column;
        EXPECT_EQ(plot.contours.front().name, "pinned") << "a ghost stands behind all";
        ASSERT_EQ(plot.scatters.size(), 1u);
      }
    EXPECT_NO_THROW(figure_svg(figure));
    EXPECT_NE(figure_csv(figure).find("contour"), std::string::npos);
  }
}

TEST(CornerPlots, ShowsTheFirstOfVeryMany) {
  const Figure figure = corner(kMostCorner + 3);
  EXPECT_EQ(figure.plots.size(), kMostCorner * kMostCorner);
}

// Contours lean as draws do: the pair's correlation is above zero.
TEST(CornerPlots, XIsTheColumnsTarget) {
  const Figure figure = corner(3);
  const Contour& contour = figure.plots[3].contours.back();
  double xy = 0;
  for (std::size_t i = 0; i < contour.x.size(); ++i) xy += contour.x[i] * contour.y[i];
  EXPECT_GT(xy, 0);
}

TEST(CornerPlots, OfTwoTheMarginalsStandOnTheJointsAxes) {
  const std::vector<Target> targets = some_targets(2);
  PosteriorNumbers one = drawn_numbers(2, "PAIRS", SeriesRole::pairs, true);
  for (const double a : one.marginals[0])
    for (const double b : one.marginals[1]) one.joint.push_back(a * b);
  Figure figure;
  set_corner(figure, {one}, targets, {0.5, -0.5}, StableAxes(targets).update({one}, {0.5, -0.5}));
  ASSERT_EQ(figure.plots.size(), 4u);
  const Plot &above = figure.plots[0], &joint = figure.plots[2], &right = figure.plots[3];
  EXPECT_TRUE(figure.plots[1].blank);
  EXPECT_EQ(above.x.low, joint.x.low);
  EXPECT_EQ(above.x.high, joint.x.high);
  EXPECT_TRUE(right.turned);
  EXPECT_EQ(right.y.low, joint.y.low);
  EXPECT_EQ(right.y.high, joint.y.high);
  EXPECT_EQ(right.y.shared, joint.y.shared);
  const chart::FigureLayout layout = chart::layout_figure(
      figure, [](std::string_view text, double size, bool) { return 0.6 * size * static_cast<double>(text.size()); });
  EXPECT_EQ(layout.plots[0].area.x, layout.plots[2].area.x);
  EXPECT_EQ(layout.plots[0].area.width, layout.plots[2].area.width);
  EXPECT_EQ(layout.plots[3].area.y, layout.plots[2].area.y);
  EXPECT_EQ(layout.plots[3].area.height, layout.plots[2].area.height);
  EXPECT_GT(layout.plots[2].area.width, 2 * layout.plots[3].area.width);
}

}  // namespace
}  // namespace pairs
