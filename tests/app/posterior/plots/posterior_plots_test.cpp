#include "app/posterior/plots/posterior_plots.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "app/posterior/plots/posterior_curves.h"
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

Target unit_target(const std::string& name) {
  Target target;
  target.name = target.label = name;
  target.low = target.view_low = 0;
  target.high = target.view_high = 1;
  return target;
}

// How far a line is from a density, at most, in shares of the density's top, between the line's ends.
double most_off(const Line& line, const std::function<double(double)>& density) {
  double most = 0, top = 0;
  for (int i = 0; i <= 20000; ++i) {
    const double x = line.x.front() + (line.x.back() - line.x.front()) * i / 20000.0;
    const auto after = static_cast<std::size_t>(std::upper_bound(line.x.begin(), line.x.end(), x) - line.x.begin());
    const std::size_t k = std::clamp<std::size_t>(after, 1, line.x.size() - 1) - 1;
    const double share = (x - line.x[k]) / (line.x[k + 1] - line.x[k]);
    most = std::max(most, std::fabs(line.y[k] + share * (line.y[k + 1] - line.y[k]) - density(x)));
    top = std::max(top, density(x));
  }
  return most / top;
}

// A broad density with a narrow spike and a corner at the support's end: the line follows them.
TEST(PosteriorPlots, ACurveFollowsItsDensityWhereItBends) {
  const auto density = [](double x) {
    const double spike = (x - 0.6312) / 0.004, end = x / 0.003;
    return 0.9 + 2 * std::exp(-0.5 * spike * spike) + 2 * std::exp(-end);
  };
  PosteriorSource source;
  source.name = "PAIRS";
  source.ours = true;
  source.log_density = [&](const torch::Tensor& theta) {
    torch::Tensor out = torch::empty({theta.size(0)}, torch::kFloat64);
    for (std::int64_t i = 0; i < theta.size(0); ++i) out[i] = std::log(density(theta[i][0].item<double>()));
    return out;
  };
  source.mean = torch::full({1}, 0.5, torch::kFloat64);
  source.sd = torch::full({1}, 0.3, torch::kFloat64);
  const std::vector<Target> targets = {unit_target("θ")};
  std::vector<PosteriorNumbers> series = posterior_numbers(targets, true, {source});
  ASSERT_EQ(series.size(), 1u);
  const PosteriorAxes axes = StableAxes(targets).update(series, {});
  const auto line_of = [&] {
    const Plot plot = density_plot(series, targets, 0, {}, axes);
    return *std::find_if(plot.lines.begin(), plot.lines.end(), [](const Line& line) { return line.name == "PAIRS"; });
  };
  EXPECT_GT(most_off(line_of(), density), 0.02) << "the cells' middles alone have kinks";
  add_curve(source, series.front());
  const Line line = line_of();
  EXPECT_LT(most_off(line, density), 0.006);
  EXPECT_LT(line.x.front(), 0.0002);
  EXPECT_GT(line.x.back(), 0.9998);
  EXPECT_LT(line.x.size(), 2000u);
}

// Marginals of two targets are sums over a coarse grid; the plot joins them by a smooth line up to the bounds.
TEST(PosteriorPlots, MarginalsOfTwoTargetsHaveNoKinks) {
  const auto part = [](double x, double mean, double sd) {
    const double z = (x - mean) / sd;
    return std::exp(-0.5 * z * z) / (sd * std::sqrt(2 * M_PI));
  };
  PosteriorNumbers one;
  one.name = "PAIRS";
  one.ours = true;
  constexpr std::size_t kCount = 32;
  one.cells.assign(2, Cells{0, 1, kCount});
  const std::vector<double> x = one.cells[0].middles();
  one.marginals.assign(2, std::vector<double>(kCount));
  for (std::size_t i = 0; i < kCount; ++i) {
    one.marginals[0][i] = part(x[i], 0.4, 0.08);
    one.marginals[1][i] = part(x[i], 0.02, 0.3);
    for (std::size_t j = 0; j < kCount; ++j) one.joint.push_back(part(x[i], 0.4, 0.08) * part(x[j], 0.02, 0.3));
  }
  for (std::size_t t = 0; t < 2; ++t) one.targets.push_back(cell_numbers(one.cells[t], one.marginals[t]));
  const std::vector<Target> targets = {unit_target("a"), unit_target("b")};
  const PosteriorAxes axes = StableAxes(targets).update({one}, {});
  const std::vector<std::function<double(double)>> densities = {[&](double at) { return part(at, 0.4, 0.08); },
                                                                [&](double at) { return part(at, 0.02, 0.3); }};
  for (std::size_t t = 0; t < 2; ++t) {
    Line coarse;
    coarse.x = x;
    coarse.y = one.marginals[t];
    const Plot plot = density_plot({one}, targets, t, {}, axes);
    const Line& line = plot.lines.back();
    EXPECT_LT(most_off(line, densities[t]), 0.006) << t;
    if (t == 0) EXPECT_GT(most_off(coarse, densities[t]), 0.015);
    EXPECT_EQ(line.x.front(), 0) << t;
    EXPECT_EQ(line.x.back(), 1) << t;
    for (const double y : line.y) EXPECT_GE(y, 0);
  }
}

}  // namespace
}  // namespace pairs
