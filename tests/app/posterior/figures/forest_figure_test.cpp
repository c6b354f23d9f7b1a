#include "app/posterior/figures/forest_figure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/base/text/error.h"

namespace pairs {
namespace {

using ::testing::ElementsAre;

SetRow answered(const std::string& name, double mean) {
  SetRow row;
  row.name = name;
  row.n = 3;
  row.numbers.resize(1);
  row.numbers[0].mean = mean;
  row.numbers[0].intervals[0][1] = {mean - 1, mean + 2};
  return row;
}

Forest forest_of(const TaskInfo& info, ForestOptions options) {
  Forest forest(info, std::move(options));
  for (const auto& [name, mean] :
       std::vector<std::pair<std::string, double>>{{"10", 0.5}, {"b", 0.9}, {"9", 0.1}, {"a", 0.7}})
    forest.add(answered(name, mean));
  SetRow failed;
  failed.name = "broken";
  failed.problem = "It holds no numbers";
  forest.add(failed);
  return forest;
}

class ForestFigure : public ::testing::Test {
 protected:
  ForestFigure() {
    info_.targets.resize(1);
    info_.targets[0].label = "θ";
  }
  // Names from the top.
  std::vector<std::string> names(ForestOptions options) const {
    const Figure figure = forest_of(info_, std::move(options)).figure();
    std::vector<std::string> names = figure.plots.front().y.names;
    std::reverse(names.begin(), names.end());
    return names;
  }
  TaskInfo info_;
};

TEST_F(ForestFigure, StandsInTheOrderThatIsAskedFor) {
  EXPECT_THAT(names({.order = ForestOrder::file}), ElementsAre("10", "b", "9", "a"));
  EXPECT_THAT(names({.order = ForestOrder::name}), ElementsAre("9", "10", "a", "b"));
  EXPECT_THAT(names({.order = ForestOrder::mean}), ElementsAre("b", "a", "10", "9"));
  EXPECT_THAT(names({.order = ForestOrder::mean, .most = 2}), ElementsAre("b", "a"));
}

TEST_F(ForestFigure, ShowsMeanAndIntervalOfEachAndCountsTheRest) {
  const Forest forest = forest_of(info_, {.order = ForestOrder::name, .most = 3});
  EXPECT_EQ(forest.left_out(), 1);
  EXPECT_EQ(forest.unanswered(), 1);
  const Figure figure = forest.figure();
  EXPECT_EQ(figure.title, "Posteriors of 3 of 4 sets");
  const Plot& plot = figure.plots.front();
  EXPECT_THAT(plot.y.names, ElementsAre("a", "10", "9"));
  ASSERT_EQ(plot.contours.size(), 3u);
  for (const Contour& one : plot.contours) {
    const auto at = static_cast<std::size_t>(one.y.front());
    const double mean = std::vector<double>{0.7, 0.5, 0.1}[at];
    EXPECT_THAT(one.x, ElementsAre(mean - 1, mean + 2));
    EXPECT_EQ(one.y.front(), one.y.back());
  }
  EXPECT_THAT(plot.scatters.front().x, ElementsAre(0.7, 0.5, 0.1));
  EXPECT_THAT(plot.scatters.front().y, ElementsAre(0, 1, 2));
}

TEST_F(ForestFigure, OfNoneThatWasAnsweredIsRefused) {
  Forest forest(info_, {});
  SetRow failed;
  failed.problem = "no";
  forest.add(failed);
  EXPECT_THROW(forest.figure(), Error);
  EXPECT_THROW(forest_order("size", "--sort"), Error);
}

}  // namespace
}  // namespace pairs
