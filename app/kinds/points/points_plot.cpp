#include "app/kinds/points/points_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "core/base/gpu/transfer.h"
#include "core/base/text/error.h"
#include "core/report/contour.h"

namespace pairs {
namespace {

// "x1" -> "x₁": a letter with a number, as tasks write it in their sentences; other names stay.
std::string column_label(const std::string& name) {
  constexpr const char* kDigits[] = {"₀", "₁", "₂", "₃", "₄", "₅", "₆", "₇", "₈", "₉"};
  const bool indexed = name.size() > 1 && std::isalpha(static_cast<unsigned char>(name[0])) &&
                       name.find_first_not_of("0123456789", 1) == name.npos;
  if (!indexed) return name;
  std::string label = name.substr(0, 1);
  for (const char digit : name.substr(1)) label += kDigits[digit - '0'];
  return label;
}

Axis column_axis(const TaskInfo& info, std::size_t i, std::pair<double, double> range) {
  return {column_label(i < info.observation_columns.size() ? info.observation_columns[i] : fmt::format("x{}", i + 1)),
          AxisScale::linear, range.first, range.second};
}

// The view's range of a column, grown in coarse steps so that it stays fixed during a drag.
std::pair<double, double> range_of(const SampleView& view, std::size_t column, const std::vector<double>& values) {
  auto [low, high] = view.columns[column];
  const double step = 0.1 * (high - low);
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  if (*least < low) low -= step * std::ceil((low - *least) / step);
  if (*most > high) high += step * std::ceil((*most - high) / step);
  return {low, high};
}

// `count` values at the centers of equal parts of the range.
std::vector<double> middles(std::pair<double, double> range, std::size_t count) {
  std::vector<double> at(count);
  for (std::size_t i = 0; i < count; ++i)
    at[i] = range.first + (range.second - range.first) * (static_cast<double>(i) + 0.5) / static_cast<double>(count);
  return at;
}

Plot line_plot(const TaskInfo& info, const Latents& latents, const torch::Tensor& x, const SampleView& view,
               const PointDensity& density_at) {
  const std::vector<double> values = doubles(x);
  const std::pair<double, double> range = range_of(view, 0, values);
  const std::size_t bins = values.size() < 50 ? 25 : values.size() < 1000 ? 50 : 100;
  const double width = (range.second - range.first) / static_cast<double>(bins);
  Bars bars{"observations", SeriesRole::other, {}, std::vector<double>(bins, 0)};
  for (std::size_t k = 0; k <= bins; ++k) bars.edges.push_back(range.first + width * static_cast<double>(k));
  for (const double value : values) {
    const auto bin = static_cast<std::int64_t>((value - range.first) / width);
    bars.heights[static_cast<std::size_t>(std::clamp<std::int64_t>(bin, 0, static_cast<std::int64_t>(bins) - 1))] += 1;
  }
  double most = *std::max_element(bars.heights.begin(), bars.heights.end());
  Plot plot;
  plot.x = column_axis(info, 0, range);
  std::vector<double> at = middles(range, 600);
  const bool known = latents.theta.defined();
  const torch::Tensor density =
      known && density_at ? density_at(torch::tensor(at, torch::kFloat64).unsqueeze(1)) : torch::Tensor();
  if (density.defined()) {
    Line line{"expected from p(x | θ, ψ)",
              SeriesRole::exact,
              LineStyle::dashed,
              false,
              std::move(at),
              doubles(density * (width * static_cast<double>(values.size()))),
              {},
              {}};
    most = std::max(most, *std::max_element(line.y.begin(), line.y.end()));
    plot.lines.push_back(std::move(line));
  }
  plot.bars.push_back(std::move(bars));
  plot.y = {"observations in a bin", AxisScale::linear, -0.08 * most, 1.35 * most};
  plot.scatters.push_back({"", SeriesRole::other, values, std::vector<double>(values.size(), -0.04 * most)});
  for (std::size_t k = 0; k < info.nuisances.size(); ++k)
    if (known && info.nuisances[k].column == 0)
      plot.rules.push_back(
          {info.nuisances[k].label, SeriesRole::truth, latents.psi[0][static_cast<std::int64_t>(k)].item<double>()});
  return plot;
}

Plot plane_plot(const TaskInfo& info, const Latents& latents, const torch::Tensor& x, const SampleView& view,
                const PointDensity& density_at) {
  Scatter points{"observations", SeriesRole::other, doubles(x.select(1, 0)), doubles(x.select(1, 1))};
  const std::pair<double, double> wide = range_of(view, 0, points.x), tall = range_of(view, 1, points.y);
  Plot plot;
  plot.x = column_axis(info, 0, wide);
  plot.y = column_axis(info, 1, tall);
  constexpr std::int64_t kSide = 80;
  const std::vector<double> across = middles(wide, kSide), up = middles(tall, kSide);
  const std::vector<torch::Tensor> mesh =
      torch::meshgrid({torch::tensor(up, torch::kFloat64), torch::tensor(across, torch::kFloat64)}, "ij");
  const bool known = latents.theta.defined();
  const torch::Tensor density =
      known && density_at ? density_at(torch::stack({mesh[1].flatten(), mesh[0].flatten()}, 1)) : torch::Tensor();
  if (density.defined()) {
    const std::vector<double> grid = doubles(density);
    for (const double level : density_levels(grid, {0.5, 0.9}))
      for (Polyline& line :
           contour_lines(grid, kSide, kSide, across.front(), across.back(), up.front(), up.back(), level))
        plot.contours.push_back(
            {"50 and 90 % of p(x | θ, ψ)", SeriesRole::exact, LineStyle::dashed, std::move(line.x), std::move(line.y)});
  }
  plot.scatters.push_back(std::move(points));
  if (known && info.targets.size() == 2)
    plot.scatters.push_back(
        {"θ", SeriesRole::truth, {latents.theta[0][0].item<double>()}, {latents.theta[0][1].item<double>()}});
  return plot;
}

}  // namespace

SampleView view_of_points(const TaskInfo& info, const torch::Tensor& x) {
  SampleView view;
  for (std::int64_t column = 0; column < x.size(1); ++column) {
    std::vector<double> values = doubles(x.select(1, column));
    std::sort(values.begin(), values.end());
    const std::size_t tail = values.size() / 100;
    double low = values[tail], high = values[values.size() - 1 - tail];
    for (const Nuisance& nuisance : info.nuisances)
      if (nuisance.column == column) {
        low = std::min(low, nuisance.view_low);
        high = std::max(high, nuisance.view_high);
      }
    view.columns.emplace_back(low - 0.05 * (high - low), high + 0.05 * (high - low));
  }
  return view;
}

Plot points_plot(const TaskInfo& info, const Latents& latents, const torch::Tensor& x, const SampleView& view,
                 const PointDensity& density) {
  return x.size(1) == 1 ? line_plot(info, latents, x, view, density) : plane_plot(info, latents, x, view, density);
}

}  // namespace pairs
