#include "app/posterior/posterior_plots.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/report/legend.h"

namespace pairs {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string> legend_of(const Plot& plot) {
  std::vector<std::string> names;
  for (const chart::LegendEntry& entry : chart::legend_entries(plot)) names.push_back(entry.name);
  return names;
}

// While N moves the exact answer may come later than ours: its entry in the legend neither goes nor comes.
TEST(PosteriorPlots, AReferenceThatIsAwaitedKeepsItsPlaceInTheLegend) {
  Target target;
  target.name = target.label = "θ";
  target.low = target.view_low = 0;
  target.high = target.view_high = 1;
  const auto numbers = [](const std::string& name, SeriesRole role, bool ours) {
    PosteriorNumbers one;
    one.name = name;
    one.role = role;
    one.ours = ours;
    one.cells.push_back({0, 1, 10});
    one.marginals.push_back(std::vector<double>(10, 1));
    one.targets.push_back(cell_numbers(one.cells.back(), one.marginals.back()));
    return one;
  };
  const PosteriorNumbers ours = numbers("PAIRS", SeriesRole::pairs, true),
                         exact = numbers("exact", SeriesRole::exact, false);
  const PosteriorAxes axes = StableAxes({target}).update({ours, exact}, {0.5});
  Figure complete, passing;
  complete.plots = posterior_plots({ours, exact}, {target}, {0.5}, axes);
  passing.plots = posterior_plots({ours}, {target}, {0.5}, axes);
  EXPECT_NE(legend_of(passing.plots.front()), legend_of(complete.plots.front()));
  name_awaited(passing.plots.front(), exact);
  EXPECT_EQ(legend_of(passing.plots.front()), legend_of(complete.plots.front()));
  EXPECT_THAT(figure_svg(passing), Not(HasSubstr("nan")));
}

}  // namespace
}  // namespace pairs
