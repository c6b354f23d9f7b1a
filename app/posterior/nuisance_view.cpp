#include "app/posterior/nuisance_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/report/number_text.h"

namespace pairs {
namespace {

AxisRange whole_view(const TaskInfo& info) {
  AxisRange range = {INFINITY, -INFINITY};
  for (const Nuisance& nuisance : info.nuisances)
    range = {std::min(range.first, nuisance.view_low), std::max(range.second, nuisance.view_high)};
  return range;
}

std::string with_decimals_of(double value, double spread) {
  const int digits = spread > 0 ? std::clamp(1 - static_cast<int>(std::floor(std::log10(spread))), 0, 6) : 3;
  return number_text(value, digits);
}

// What there is room for above a small plot.
std::string in_short(const TaskInfo& info, const NuisanceSeries& series, const std::vector<double>& truth) {
  if (series.numbers.size() == 1) {
    const TargetNumbers& numbers = series.numbers[0];
    const std::string known = truth.empty() ? "" : ", truth " + with_decimals_of(truth[0], numbers.sd);
    return fmt::format("{} = {} ± {}{}", info.nuisances[0].label, with_decimals_of(numbers.mean, numbers.sd),
                       with_decimals_of(numbers.sd, numbers.sd), known);
  }
  std::string text;
  for (std::size_t k = 0; k < series.numbers.size(); ++k)
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", info.nuisances[k].label,
                        number_text(series.numbers[k].mean, 2));
  return text;
}

std::string in_full(const TaskInfo& info, const std::vector<NuisanceSeries>& series, const std::vector<double>& truth) {
  std::string text;
  for (std::size_t k = 0; k < info.nuisances.size(); ++k) {
    text += text.empty() ? "" : "\n";
    text += info.nuisances[k].label + ":";
    for (const NuisanceSeries& one : series)
      text += fmt::format("{} {} {} ± {}", &one == &series.front() ? "" : ",", one.name,
                          with_decimals_of(one.numbers[k].mean, one.numbers[k].sd),
                          with_decimals_of(one.numbers[k].sd, one.numbers[k].sd));
    if (!truth.empty()) text += ", truth " + with_decimals_of(truth[k], series.front().numbers[k].sd);
  }
  return text;
}

}  // namespace

NuisanceAxes::NuisanceAxes(const TaskInfo& info) : range(whole_view(info)) {}

std::vector<NuisanceSeries> nuisance_series(const TaskInfo& info, const NuisancePosterior& nuisance,
                                            const std::vector<ThetaDraws>& draws) {
  std::vector<NuisanceSeries> out;
  for (const ThetaDraws& one : draws) {
    NuisanceSeries series{one.name, one.role, {}, {}, {}};
    for (std::size_t k = 0; k < info.nuisances.size(); ++k) {
      CellDensity density = nuisance.marginal(one.theta, static_cast<std::int64_t>(k));
      series.cells.push_back({density.low, density.high, density.density.size()});
      series.numbers.push_back(cell_numbers(series.cells.back(), density.density));
      series.densities.push_back(std::move(density.density));
    }
    out.push_back(std::move(series));
  }
  return out;
}

NuisanceView nuisance_view(const TaskInfo& info, const std::vector<NuisanceSeries>& series,
                           const std::vector<double>& truth, NuisanceAxes& axes) {
  Plot plot;
  AxisNeed need;
  double peak = 0;
  for (const NuisanceSeries& one : series)
    for (std::size_t k = 0; k < one.cells.size(); ++k) {
      // Tails beyond what the prior is shown in are left out.
      need.include(one.numbers[k], one.cells[k], {info.nuisances[k].view_low, info.nuisances[k].view_high});
      peak = std::max(peak, *std::max_element(one.densities[k].begin(), one.densities[k].end()));
      Line line;
      line.name = one.cells.size() == 1 ? one.name : one.name + ", " + info.nuisances[k].label;
      line.role = one.role;
      line.style = posterior_style(one.role);
      line.x = one.cells[k].middles();
      line.y = one.densities[k];
      plot.lines.push_back(std::move(line));
    }
  const auto [from, to] = axes.range.update(need);
  const bool single = info.nuisances.size() == 1;
  std::string labels;
  for (const Nuisance& nuisance : info.nuisances) labels += (labels.empty() ? "" : ", ") + nuisance.label;
  plot.x = {single ? info.nuisances[0].title() : labels, AxisScale::linear, from, to};
  plot.y = {"density", AxisScale::linear, 0, axes.height.update(peak)};
  for (std::size_t k = 0; k < truth.size(); ++k) plot.rules.push_back({"truth", SeriesRole::truth, truth[k]});
  // Names and styles are those of the plot of θ; the line above tells the components.
  plot.legend = false;
  auto figure = std::make_shared<Figure>();
  figure->plots = {std::move(plot)};
  NuisanceView view;
  view.figure = figure;
  view.title = "Posterior of " + (single ? info.nuisances[0].title() : "ψ");
  if (!series.empty()) {
    view.line = in_short(info, series.front(), truth);
    view.note = in_full(info, series, truth) + "\np(ψ | θ, X) averaged over the posterior of θ.";
  }
  for (const NuisanceSeries& one : series) {
    NuisanceSummary summary{one.name, one.role, {}, {}};
    for (const TargetNumbers& numbers : one.numbers) {
      summary.mean.push_back(numbers.mean);
      summary.sd.push_back(numbers.sd);
    }
    view.series.push_back(std::move(summary));
  }
  return view;
}

}  // namespace pairs
