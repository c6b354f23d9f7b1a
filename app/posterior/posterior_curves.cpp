#include "app/posterior/posterior_curves.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "app/posterior/pair_density.h"
#include "core/report/contour.h"
#include "core/report/shades.h"

namespace pairs {
namespace {

// The order in which series are drawn: ghosts behind all, the shown run after other runs, so that it has its role's
// full colour.
std::vector<const PosteriorNumbers*> drawing_order(const std::vector<PosteriorNumbers>& series) {
  std::vector<const PosteriorNumbers*> order;
  for (const PosteriorNumbers& one : series) order.push_back(&one);
  const auto runs = std::find_if(order.begin(), order.end(), [](const auto* one) { return !one->ours; });
  std::reverse(order.begin(), runs);
  std::stable_partition(order.begin(), order.end(),
                        [](const auto* one) { return base_role(one->role) == SeriesRole::ghost; });
  return order;
}

// The density between two quantiles, as a band below the curve.
Line shaded(const PosteriorNumbers& numbers, std::size_t t, double from, double to) {
  const Cells& cells = numbers.cells[t];
  const std::vector<double> x = cells.middles();
  const std::vector<double>& p = numbers.marginals[t];
  const auto at = [&](double where) {
    const double place = (where - cells.low) / cells.width() - 0.5;
    const auto i = static_cast<std::size_t>(std::clamp(std::floor(place), 0.0, static_cast<double>(x.size() - 2)));
    const double share = std::clamp(place - static_cast<double>(i), 0.0, 1.0);
    return p[i] + share * (p[i + 1] - p[i]);
  };
  Line line;
  line.role = numbers.role;
  line.x = {from};
  line.upper = {at(from)};
  for (std::size_t i = 0; i < x.size(); ++i)
    if (x[i] > from && x[i] < to) {
      line.x.push_back(x[i]);
      line.upper.push_back(p[i]);
    }
  line.x.push_back(to);
  line.upper.push_back(at(to));
  line.lower.assign(line.x.size(), 0);
  line.y.assign(line.x.size(), NAN);
  return line;
}

// Of two targets the grid's, of more an estimate from draws; nothing where neither is there.
PairDensity joint_of(const PosteriorNumbers& one, std::size_t first, std::size_t second) {
  if (!one.joint.empty()) return {one.cells[first], one.cells[second], one.joint};
  if (one.draws.empty()) return {};
  return pair_density(one.draws[first], one.draws[second]);
}

}  // namespace

Plot density_plot(const std::vector<PosteriorNumbers>& series, const std::vector<Target>& targets, std::size_t t,
                  const std::vector<double>& truth, const PosteriorAxes& axes) {
  Plot plot;
  plot.x = {targets[t].title(), AxisScale::linear, axes.ranges[t].first, axes.ranges[t].second};
  plot.y = {"density", AxisScale::linear, 0, axes.heights[t]};
  if (!series.empty() && series.front().ours) {
    const TargetNumbers& numbers = series.front().targets[t];
    for (const Interval& one : {numbers.most(axes.interval), numbers.half(axes.interval)})
      plot.lines.push_back(shaded(series.front(), t, one.low, one.high));
  }
  for (const PosteriorNumbers* one : drawing_order(series)) {
    Line line;
    line.name = one->name;
    line.role = one->role;
    line.style = posterior_style(one->role, one->name);
    line.x = one->cells[t].middles();
    line.y = one->marginals[t];
    plot.lines.push_back(std::move(line));
  }
  // Where only another target has one it is named all the same: the first plot's legend is that of a whole figure.
  if (std::any_of(truth.begin(), truth.end(), [](double value) { return std::isfinite(value); }))
    plot.rules.push_back({"truth", SeriesRole::truth, truth[t]});
  return plot;
}

Plot joint_plot(const std::vector<PosteriorNumbers>& series, const std::vector<Target>& targets, std::size_t first,
                std::size_t second, const std::vector<double>& truth, const PosteriorAxes& axes) {
  Plot plot;
  const AxisRange &x = axes.ranges[first], &y = axes.ranges[second];
  plot.x = {targets[first].title(), AxisScale::linear, x.first, x.second};
  plot.y = {targets[second].title(), AxisScale::linear, y.first, y.second};
  for (const PosteriorNumbers* one : drawing_order(series)) {
    const PairDensity joint = joint_of(*one, first, second);
    // Of a head at the start of its training the grid may hold nothing.
    if (!std::any_of(joint.density.begin(), joint.density.end(), [](double p) { return p > 0; })) continue;
    const Cells &a = joint.first, &b = joint.second;
    const auto rows = static_cast<std::int64_t>(a.count), columns = static_cast<std::int64_t>(b.count);
    const double x0 = a.low + a.width() / 2, x1 = a.high - a.width() / 2;
    const double y0 = b.low + b.width() / 2, y1 = b.high - b.width() / 2;
    for (const double level : density_levels(joint.density, {0.5, 0.9}))
      for (Polyline& line : contour_lines(joint.density, columns, rows, y0, y1, x0, x1, level))
        plot.contours.push_back(
            {one->name, one->role, posterior_style(one->role, one->name), std::move(line.y), std::move(line.x)});
  }
  if (!truth.empty() && std::isfinite(truth[first]) && std::isfinite(truth[second]))
    plot.scatters.push_back({"truth", SeriesRole::truth, {truth[first]}, {truth[second]}});
  return plot;
}

}  // namespace pairs
