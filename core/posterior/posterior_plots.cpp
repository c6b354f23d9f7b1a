#include "core/posterior/posterior_plots.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/report/contour.h"

namespace pairs {
namespace {

// The order in which series are drawn: the shown run after other runs, so that it has its role's full colour.
std::vector<const PosteriorNumbers*> drawing_order(const std::vector<PosteriorNumbers>& series) {
  std::vector<const PosteriorNumbers*> order;
  for (const PosteriorNumbers& one : series) order.push_back(&one);
  const auto runs = std::find_if(order.begin(), order.end(), [](const auto* one) { return !one->ours; });
  std::reverse(order.begin(), runs);
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

Plot density_plot(const std::vector<PosteriorNumbers>& series, const Target& target, std::size_t t,
                  const std::vector<double>& truth, AxisRange range, double height) {
  Plot plot;
  plot.x = {target.title(), AxisScale::linear, range.first, range.second};
  plot.y = {"density", AxisScale::linear, 0, height};
  if (!series.empty() && series.front().ours) {
    const auto& q = series.front().targets[t].quantiles;
    plot.lines.push_back(shaded(series.front(), t, q[0], q[4]));
    plot.lines.push_back(shaded(series.front(), t, q[1], q[3]));
  }
  for (const PosteriorNumbers* one : drawing_order(series)) {
    Line line;
    line.name = one->name;
    line.role = one->role;
    line.style = posterior_style(one->role);
    line.x = one->cells[t].middles();
    line.y = one->marginals[t];
    plot.lines.push_back(std::move(line));
  }
  if (!truth.empty()) plot.rules.push_back({"truth", SeriesRole::truth, truth[t]});
  return plot;
}

Plot contour_plot(const std::vector<PosteriorNumbers>& series, const std::vector<Target>& targets,
                  const std::vector<double>& truth, const std::vector<AxisRange>& ranges) {
  Plot plot;
  plot.x = {targets[0].title(), AxisScale::linear, ranges[0].first, ranges[0].second};
  plot.y = {targets[1].title(), AxisScale::linear, ranges[1].first, ranges[1].second};
  for (const PosteriorNumbers* one : drawing_order(series)) {
    // Of a head at the start of its training the grid may hold nothing.
    if (!std::any_of(one->joint.begin(), one->joint.end(), [](double p) { return p > 0; })) continue;
    const Cells &first = one->cells[0], &second = one->cells[1];
    const auto rows = static_cast<std::int64_t>(first.count), columns = static_cast<std::int64_t>(second.count);
    const double x0 = first.low + first.width() / 2, x1 = first.high - first.width() / 2;
    const double y0 = second.low + second.width() / 2, y1 = second.high - second.width() / 2;
    for (const double level : density_levels(one->joint, {0.5, 0.9}))
      for (Polyline& line : contour_lines(one->joint, columns, rows, y0, y1, x0, x1, level))
        plot.contours.push_back(
            {one->name, one->role, posterior_style(one->role), std::move(line.y), std::move(line.x)});
  }
  if (!truth.empty()) plot.scatters.push_back({"truth", SeriesRole::truth, {truth[0]}, {truth[1]}});
  return plot;
}

}  // namespace

std::vector<Plot> posterior_plots(const std::vector<PosteriorNumbers>& series, const std::vector<Target>& targets,
                                  const std::vector<double>& truth, const PosteriorAxes& axes) {
  std::vector<Plot> plots;
  if (targets.size() == 2) plots.push_back(contour_plot(series, targets, truth, axes.ranges));
  for (std::size_t t = 0; t < targets.size(); ++t) {
    plots.push_back(density_plot(series, targets[t], t, truth, axes.ranges[t], axes.heights[t]));
    plots.back().legend = plots.size() == 1;
  }
  return plots;
}

Figure width_against_n(const std::vector<WidthPoint>& points, const std::vector<Target>& targets, std::int64_t most,
                       std::int64_t shown) {
  Figure figure;
  figure.columns = static_cast<std::int64_t>(std::min<std::size_t>(targets.size(), 2));
  for (std::size_t t = 0; t < std::min<std::size_t>(targets.size(), 2); ++t) {
    Plot plot;
    plot.x = {"set size N", AxisScale::log, 1, std::max(2.0, static_cast<double>(most))};
    plot.y = {"posterior sd of " + targets[t].label, AxisScale::log};
    std::vector<std::string> names;
    for (const WidthPoint& point : points)
      if (std::find(names.begin(), names.end(), point.name) == names.end()) names.push_back(point.name);
    const auto first_reference = std::stable_partition(names.begin(), names.end(), [&](const std::string& name) {
      return std::any_of(points.begin(), points.end(),
                         [&](const WidthPoint& point) { return point.name == name && point.ours; });
    });
    std::reverse(names.begin(), first_reference);
    for (const std::string& name : names) {
      std::map<std::int64_t, double> values;
      Line line;
      line.name = name;
      for (const WidthPoint& point : points)
        if (point.name == name) {
          values[point.n] = point.sd[t];
          line.role = point.role;
        }
      line.style = posterior_style(line.role);
      for (const auto& [n, sd] : values) {
        line.x.push_back(static_cast<double>(n));
        line.y.push_back(sd);
      }
      plot.lines.push_back(std::move(line));
    }
    plot.rules.push_back({"", SeriesRole::other, static_cast<double>(shown)});
    plot.legend = false;
    figure.plots.push_back(std::move(plot));
  }
  return figure;
}

std::string posterior_sentence(const std::vector<PosteriorNumbers>& series, const std::vector<Target>& targets) {
  if (series.empty() || !series.front().ours) return "";
  std::string text =
      fmt::format("The 90 % interval{} is {:.3g}{} wide", targets.size() == 1 ? "" : " of " + targets[0].label,
                  series.front().targets[0].width(), targets[0].unit.empty() ? "" : " " + targets[0].unit);
  if (const PosteriorNumbers* exact = find_role(series, SeriesRole::exact))
    text += fmt::format(", {:.2f} times the exact one", series.front().targets[0].width() / exact->targets[0].width());
  return text + ".";
}

}  // namespace pairs
