#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/report/marks.h"
#include "core/report/marks/mark_kind.h"

namespace pairs::chart {
namespace {

// One mark of each kind, each with a name of its own; pictures have none.
Figure of_all_kinds() {
  Plot plot;
  plot.bands = {{"band", 0.2, 0.4}};
  plot.pictures = {{1, 1, {1, 2, 3}, 1, 1, 2, 2}};
  plot.bars = {{"bars", SeriesRole::other, {1, 2, 3}, {1, 2}}};
  Line line;
  line.name = "line";
  line.markers = true;
  line.x = {1, 2, 3, 4};
  line.y = {1, 2, 3, 4};
  line.lower = {0.5, 1, 2, 3};
  line.upper = {2, 3, 4, 5};
  line.hollow = {false, true, false, true};
  plot.lines = {line};
  plot.contours = {{"contour", SeriesRole::n1, LineStyle::solid, {1, 2, 1}, {1, 2, 1}}};
  plot.scatters = {{"scatter", SeriesRole::gaussian, {1, 2, 3}, {1, 2, 3}}};
  plot.rules = {{"rule", SeriesRole::truth, 1.5}};
  Figure figure;
  figure.plots = {plot};
  return figure;
}

std::vector<std::string> named(const Plot& plot) {
  std::vector<std::string> names;
  for (const LegendEntry& entry : legend_entries(plot)) names.push_back(entry.name);
  return names;
}

TEST(MarkKinds, EachHasItsOwnMarksAndTheWritersKnowAllOfThem) {
  const Figure figure = of_all_kinds();
  for (const MarkKind* kind : mark_kinds()) EXPECT_EQ(kind->count(figure.plots[0]), 1u);
  EXPECT_EQ(named(figure.plots[0]), (std::vector<std::string>{"line", "contour", "bars", "scatter", "rule", "band"}));
  const std::string svg = figure_svg(figure), csv = figure_csv(figure);
  for (const std::string& name : named(figure.plots[0])) {
    EXPECT_THAT(svg, testing::HasSubstr(name));
    EXPECT_THAT(csv, testing::HasSubstr("," + name + ","));
  }
}

// What a person hides, or what lies outside of the axis, leaves a figure that can be drawn.
TEST(MarkKinds, EmptyRemovedAndCutMarksFitTogether) {
  const Figure whole = of_all_kinds();
  for (const std::string& name : named(whole.plots[0])) {
    const auto chosen = [&](const SeriesKey& key) { return key.name == name; };
    Figure emptied = whole, removed = whole;
    for (const MarkKind* kind : mark_kinds()) {
      kind->empty(emptied.plots[0], chosen);
      kind->remove(removed.plots[0], chosen);
    }
    EXPECT_EQ(named(emptied.plots[0]), named(whole.plots[0])) << name << " keeps its place in the legend";
    EXPECT_THAT(named(removed.plots[0]), testing::Not(testing::Contains(name)));
    EXPECT_NO_THROW(figure_svg(emptied)) << name;
    EXPECT_NO_THROW(figure_svg(removed)) << name;
    EXPECT_NE(figure_svg(emptied), figure_svg(whole)) << name;
  }
  Figure cut = whole;
  for (const MarkKind* kind : mark_kinds()) kind->cut(cut.plots[0], 1.5, 2.5);
  EXPECT_EQ(cut.plots[0].lines[0].x, (std::vector<double>{1, 2, 3})) << "and the neighbors, by which it reaches them";
  EXPECT_EQ(cut.plots[0].lines[0].hollow, (std::vector<bool>{false, true, false}));
  EXPECT_EQ(cut.plots[0].scatters[0].x, std::vector<double>{2});
  EXPECT_NO_THROW(figure_csv(cut));
}

TEST(MarkKinds, SomeCanStandOnALogarithmicAxis) {
  Plot plot;
  const auto any = [&](bool across) {
    return std::any_of(mark_kinds().begin(), mark_kinds().end(),
                       [&](const MarkKind* kind) { return kind->above_zero(plot, across); });
  };
  plot.scatters = {{"below", SeriesRole::other, {1}, {-1}}};
  EXPECT_TRUE(any(true));
  EXPECT_FALSE(any(false));
  plot.lines.resize(1);
  plot.turned = true;  // its x is read upwards
  plot.lines[0].x = {2};
  plot.lines[0].y = {-2};
  EXPECT_TRUE(any(false));
}

}  // namespace
}  // namespace pairs::chart
