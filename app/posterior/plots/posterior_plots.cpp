#include "app/posterior/plots/posterior_plots.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "app/posterior/plots/posterior_curves.h"

namespace pairs {

std::vector<Plot> posterior_plots(const std::vector<PosteriorNumbers>& series, const std::vector<Target>& targets,
                                  const std::vector<double>& truth, const PosteriorAxes& axes) {
  std::vector<Plot> plots;
  if (targets.size() == 2) plots.push_back(joint_plot(series, targets, 0, 1, truth, axes));
  for (std::size_t t = 0; t < targets.size(); ++t) {
    plots.push_back(density_plot(series, targets, t, truth, axes));
    plots.back().legend = plots.size() == 1;
  }
  return plots;
}

void name_awaited(Plot& plot, const PosteriorNumbers& one) {
  Line line;
  line.name = one.name;
  line.role = one.role;
  line.style = posterior_style(one.role, one.name);
  line.x = {NAN};
  line.y = {NAN};
  plot.lines.push_back(std::move(line));
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

std::string posterior_sentence(const std::vector<PosteriorNumbers>& series, const std::vector<Target>& targets,
                               IntervalKind kind) {
  if (series.empty() || !series.front().ours) return "";
  const std::string of = targets.size() == 1 ? "" : " of " + targets[0].label;
  const std::string unit = targets[0].unit.empty() ? "" : " " + targets[0].unit;
  const TargetNumbers& ours = series.front().targets[0];
  const PosteriorNumbers* exact = find_role(series, SeriesRole::exact);
  const Interval own = ours.most(kind);
  std::string text;
  if (kind == IntervalKind::upper_limit) {
    text = fmt::format("With 90 % probability {} is below {:.3g}{}", targets[0].label, own.high, unit);
    if (exact) text += fmt::format(", {:.3g}{} by the exact posterior", exact->targets[0].most(kind).high, unit);
    return text + ".";
  }
  text = fmt::format("The 90 % interval{} is {:.3g}{} wide", of, own.width(), unit);
  if (exact) text += fmt::format(", {:.2f} times the exact one", own.width() / exact->targets[0].most(kind).width());
  return text + ".";
}

}  // namespace pairs
