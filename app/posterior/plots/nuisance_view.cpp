#include "app/posterior/plots/nuisance_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/report/number_text.h"

namespace pairs {
namespace {

std::string with_decimals_of(double value, double spread) {
  const int digits = spread > 0 ? std::clamp(1 - static_cast<int>(std::floor(std::log10(spread))), 0, 6) : 3;
  return number_text(value, digits);
}

// "0.52, 0.41 to 0.61", median and central 90 % interval: tails of ψ may be too heavy for mean and sd.
std::string reported(const TargetNumbers& numbers) {
  const double spread = numbers.half(IntervalKind::central).width() / 1.349;
  const Interval& most = numbers.most(IntervalKind::central);
  return fmt::format("{}, {} to {}", with_decimals_of(numbers.quantiles[2], spread), with_decimals_of(most.low, spread),
                     with_decimals_of(most.high, spread));
}

// A title short enough for a small plot.
std::string in_short(const TaskInfo& info, const NuisanceSeries& series, const std::vector<double>& truth) {
  std::string text;
  for (std::size_t k = 0; k < series.numbers.size(); ++k) {
    const TargetNumbers& numbers = series.numbers[k];
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", info.nuisances[k].label, reported(numbers));
    if (series.numbers.size() == 1 && !truth.empty())
      text += ", truth " + with_decimals_of(truth[0], numbers.half(IntervalKind::central).width() / 1.349);
  }
  return text;
}

std::string in_full(const TaskInfo& info, const std::vector<NuisanceSeries>& series, const std::vector<double>& truth) {
  std::string text;
  for (std::size_t k = 0; k < info.nuisances.size(); ++k) {
    text += text.empty() ? "" : "\n";
    text += info.nuisances[k].label + ":";
    for (const NuisanceSeries& one : series)
      text += fmt::format("{} {} {}", &one == &series.front() ? "" : ";", one.name, reported(one.numbers[k]));
    if (!truth.empty())
      text += "; truth " +
              with_decimals_of(truth[k], series.front().numbers[k].half(IntervalKind::central).width() / 1.349);
  }
  return text;
}

// The densities of one component.
Plot component_plot(const TaskInfo& info, std::size_t k, const std::vector<NuisanceSeries>& series,
                    const std::vector<double>& truth, NuisanceAxes::Component& axes) {
  const Nuisance& nuisance = info.nuisances[k];
  Plot plot;
  AxisNeed need;
  double peak = 0;
  for (const NuisanceSeries& one : series) {
    // Omits tails beyond the shown range of the prior.
    need.include(one.numbers[k], one.cells[k], {nuisance.view_low, nuisance.view_high});
    peak = std::max(peak, *std::max_element(one.densities[k].begin(), one.densities[k].end()));
    Line line;
    line.name = one.name;
    line.role = one.role;
    line.style = posterior_style(one.role);
    line.x = one.cells[k].middles();
    line.y = one.densities[k];
    plot.lines.push_back(std::move(line));
  }
  const auto [from, to] = axes.range.update(need);
  const bool single = info.nuisances.size() == 1;
  plot.x = {single ? nuisance.title() : nuisance.label, AxisScale::linear, from, to};
  plot.y = {k == 0 ? "density" : "", AxisScale::linear, 0, axes.height.update(peak)};
  if (!truth.empty()) plot.rules.push_back({"truth", SeriesRole::truth, truth[k]});
  // A single one has the names and styles of the plot of θ.
  plot.legend = !single && k == 0;
  return plot;
}

}  // namespace

NuisanceAxes::NuisanceAxes(const TaskInfo& info) {
  for (const Nuisance& nuisance : info.nuisances)
    components.push_back({StableRange({nuisance.view_low, nuisance.view_high}), {}});
}

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
  auto figure = std::make_shared<Figure>();
  for (std::size_t k = 0; k < info.nuisances.size(); ++k)
    figure->plots.push_back(component_plot(info, k, series, truth, axes.components[k]));
  figure->columns = static_cast<std::int64_t>(figure->plots.size());
  NuisanceView view;
  view.figure = figure;
  view.title = "Posterior of " + (info.nuisances.size() == 1 ? info.nuisances[0].title() : "ψ");
  if (!series.empty()) {
    view.line = in_short(info, series.front(), truth);
    view.note = in_full(info, series, truth) + "\np(ψ | θ, X) averaged over the posterior of θ.";
  }
  for (const NuisanceSeries& one : series) {
    NuisanceSummary summary{one.name, one.role, {}, {}, {}, {}};
    for (const TargetNumbers& numbers : one.numbers) {
      summary.mean.push_back(numbers.mean);
      summary.sd.push_back(numbers.sd);
      summary.median.push_back(numbers.quantiles[2]);
      summary.most.push_back(numbers.most(IntervalKind::central));
    }
    view.series.push_back(std::move(summary));
  }
  return view;
}

}  // namespace pairs
