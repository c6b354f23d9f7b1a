#include "app/posterior/frequentist/frequentist_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace pairs {
namespace {

std::string percent_of(double level) {
  return fmt::format("{:.4g} %", 100 * level);
}

Line curve_line(std::string name, SeriesRole role, std::vector<double> x, std::vector<double> y,
                LineStyle style = LineStyle::solid) {
  Line line;
  line.name = std::move(name);
  line.role = role;
  line.style = style;
  line.x = std::move(x);
  line.y = std::move(y);
  return line;
}

// The highest critical value that is drawn.
double highest_critical(const std::vector<NeymanCurves>& curves) {
  double top = chi_square_1(0.05);
  for (const NeymanCurves& one : curves)
    for (const std::vector<double>& row : one.critical) top = std::max(top, *std::max_element(row.begin(), row.end()));
  return top;
}

// The range of θ where the ratios are informative: up to half as high again as the plot.
Axis theta_axis(const TaskInfo& info, const std::vector<NeymanCurves>& curves) {
  Axis axis{info.targets.front().title()};
  const double far = 2.4 * highest_critical(curves);
  double low = curves.front().nodes.back(), high = curves.front().nodes.front();
  for (const NeymanCurves& one : curves)
    for (std::size_t k = 0; k < one.answer.grid.size(); ++k) {
      if (one.answer.ratio[k] > far) continue;
      low = std::min(low, one.answer.grid[k]);
      high = std::max(high, one.answer.grid[k]);
    }
  const double margin = 0.1 * (high - low);
  axis.low = std::max(low - margin, curves.front().nodes.front());
  axis.high = std::min(high + margin, curves.front().nodes.back());
  return axis;
}

Plot ratio_plot(const TaskInfo& info, const std::vector<NeymanCurves>& curves) {
  Plot plot;
  plot.title = "Below a critical value: in the interval";
  plot.x = theta_axis(info, curves);
  plot.y = {fmt::format("2 ln(max L / L({}))", info.targets.front().label)};
  plot.y.high = 1.6 * highest_critical(curves);
  for (const NeymanCurves& one : curves)
    plot.lines.push_back(curve_line(one.name, one.role, one.answer.grid, one.answer.ratio));
  const NeymanCurves& first = curves.front();
  for (std::size_t l = 0; l < first.critical.size(); ++l)
    plot.lines.push_back(curve_line("critical, " + percent_of(first.answer.levels[l].level), SeriesRole::other,
                                    first.nodes, first.critical[l], LineStyle::dotted));
  return plot;
}

Plot p_plot(const TaskInfo& info, const std::vector<NeymanCurves>& curves) {
  Plot plot;
  plot.title = "p-values by toys";
  plot.x = theta_axis(info, curves);
  plot.y = {"p"};
  plot.y.high = 1.05;
  for (const NeymanCurves& one : curves) {
    const std::string of = curves.size() == 1 ? "" : ", " + one.name;
    plot.lines.push_back(curve_line("interval" + of, one.role, one.answer.grid, one.answer.p));
    plot.lines.push_back(
        curve_line("upper limit" + of, one.role, one.answer.grid, one.answer.p_upper, LineStyle::dotted));
    if (!one.answer.cls.empty())
      plot.lines.push_back(curve_line("CLs" + of, one.role, one.answer.grid, one.answer.cls, LineStyle::dashed));
  }
  for (const ConfidenceLevel& level : curves.front().answer.levels)
    plot.lines.push_back(curve_line("", SeriesRole::truth, {curves.front().nodes.front(), curves.front().nodes.back()},
                                    {1 - level.level, 1 - level.level}));
  return plot;
}

}  // namespace

NeymanCurves neyman_curves(const Frequentist& answers, const std::string& name, SeriesRole role,
                           FrequentistAnswer answer, const Observations& x) {
  NeymanCurves out{name, role, std::move(answer), answers.table().nodes(), {}};
  for (const ConfidenceLevel& level : out.answer.levels) out.critical.push_back(answers.critical(x, level.level));
  return out;
}

Figure neyman_figure(const TaskInfo& info, const std::vector<NeymanCurves>& curves, const std::string& title,
                     const std::string& source) {
  Figure figure;
  figure.title = title;
  figure.source = source;
  figure.columns = 2;
  figure.plot_width = 420;
  figure.plot_height = 300;
  figure.plots = {ratio_plot(info, curves), p_plot(info, curves)};
  return figure;
}

Figure coverage_figure(const TaskInfo& info, const std::vector<CoveragePoint>& points, const std::string& title,
                       const std::string& source) {
  Figure figure;
  figure.title = title;
  figure.source = source;
  figure.columns = static_cast<std::int64_t>(points.front().levels.size());
  figure.plot_width = 340;
  figure.plot_height = 280;
  const bool against_psi = !points.front().psi.empty();
  const std::string& label = info.targets.front().label;
  for (std::size_t l = 0; l < points.front().levels.size(); ++l) {
    const double level = points.front().levels[l].level;
    const double error = binomial_error(level, static_cast<double>(points.front().sets));
    Plot plot;
    plot.title = percent_of(level);
    plot.x = {against_psi ? info.nuisances.front().title() : info.targets.front().title()};
    plot.y = {l == 0 ? "share of intervals that hold " + label : ""};
    plot.bands.push_back({"three binomial errors", level - 3 * error, level + 3 * error});
    plot.legend = l == 0;
    std::map<double, Line> lines;
    for (const CoveragePoint& point : points) {
      Line& line = lines[against_psi ? point.theta : 0];
      line.name = against_psi ? fmt::format("{} = {:.4g}", label, point.theta) : "";
      line.markers = true;
      line.x.push_back(against_psi ? point.psi.front() : point.theta);
      line.y.push_back(point.levels[l].covered);
    }
    for (auto& [theta, line] : lines) plot.lines.push_back(std::move(line));
    figure.plots.push_back(std::move(plot));
  }
  return figure;
}

}  // namespace pairs
