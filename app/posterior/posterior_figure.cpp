#include "app/posterior/posterior_figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include "app/kinds/samples_figure.h"
#include "app/runs/run_shades.h"
#include "app/runs/strategy_look.h"
#include "app/text/number_text.h"
#include "core/aggregate.h"
#include "core/base/error.h"
#include "core/base/transfer.h"
#include "core/eval/metrics.h"
#include "core/heads/head.h"
#include "core/report/contour.h"

namespace pairs {
namespace {

// One posterior of the set at one N: its density at θ [S, d] and where it lies.
struct Series {
  std::string name;
  SeriesRole role;
  LineStyle style;
  std::function<torch::Tensor(const torch::Tensor&)> log_density;
  torch::Tensor mean, sd;
};

// Of runs that have a head for some sizes only, up to four sizes spread over those that all of them have.
std::vector<std::int64_t> shown_sizes(const std::vector<LoadedRun>& runs, std::int64_t most) {
  std::optional<std::vector<std::int64_t>> heads;
  for (const LoadedRun& run : runs) {
    const std::vector<std::int64_t> own = run.estimator->sizes();
    if (own.empty()) continue;
    if (!heads) heads = own;
    std::erase_if(*heads,
                  [&](std::int64_t n) { return n > most || std::find(own.begin(), own.end(), n) == own.end(); });
  }
  if (heads) {
    PAIRS_CHECK(!heads->empty(), "The runs have heads for different N and none in common; draw one run at a time");
    while (heads->size() > 4) heads->erase(heads->end() - 2);
    return *heads;
  }
  std::vector<std::int64_t> sizes;
  for (const std::int64_t n :
       {std::int64_t{1}, std::int64_t{10}, std::int64_t{100}, std::int64_t{1000}, std::int64_t{100000}})
    if (n < most) sizes.push_back(n);
  sizes.push_back(most);
  while (sizes.size() > 4) sizes.erase(sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size()) - 2);
  return sizes;
}

Series estimator_series(const LoadedRun& run, SeriesRole role, bool only_one, const Latents& latents,
                        std::int64_t index, std::int64_t n, const std::function<bool()>& keep_going) {
  const std::int64_t indices[] = {index};
  StreamOptions options;
  options.keep_going = keep_going;
  const torch::Tensor aggregate =
      aggregate_sets(*run.estimator, latents, kFigureSeed, Purpose::explore, indices, n, options);
  const torch::Tensor size = torch::full({1}, n, torch::kInt64);
  const Summary summary = summarise(
      run.estimator->sample(aggregate, size, 2000, stream_key(kFigureSeed, Purpose::posterior), latents.given)[0].to(
          torch::kCPU),
      {0.5});
  const auto estimator = run.estimator;
  const torch::Tensor given = latents.given;
  return {only_one ? strategy_title(run.config.strategy) : run.name,
          role,
          LineStyle::solid,
          [estimator, aggregate, size, given](const torch::Tensor& theta) {
            return estimator->log_prob_grid(theta.unsqueeze(0), aggregate, size, given)[0].to(torch::kCPU,
                                                                                              torch::kFloat64);
          },
          summary.mean,
          summary.sd};
}

std::vector<Series> reference_series(const Task& task, const Latents& latents, std::int64_t index, std::int64_t n) {
  std::vector<Series> series;
  for (const std::string& name : task.references()) {
    const bool exact = name == "exact";
    if (!exact && name.find("naive") == std::string::npos) continue;
    const std::shared_ptr<ReferencePosterior> reference = task.reference(name);
    constexpr std::int64_t kChunk = 50000;
    for (std::int64_t first = 0; first < n; first += kChunk) {
      const SetRange range[] = {{index, first, std::min(kChunk, n - first)}};
      reference->add(task.observe(latents, kFigureSeed, Purpose::explore, range, torch::kCPU));
    }
    series.push_back({name, exact ? SeriesRole::exact : SeriesRole::naive,
                      exact ? LineStyle::dashed : LineStyle::dotted,
                      [reference](const torch::Tensor& theta) { return reference->log_density(theta); },
                      reference->mean(), reference->covariance().diagonal().sqrt()});
  }
  return series;
}

// The part of the target's axis that holds every posterior but the naive one, and the truth.
std::pair<double, double> shown_range(const std::vector<Series>& series, const Target& target, std::int64_t t,
                                      double truth) {
  double low = truth, high = truth;
  for (const Series& one : series) {
    if (one.role == SeriesRole::naive) continue;
    const double mean = one.mean[t].item<double>(), sd = one.sd[t].item<double>();
    low = std::min(low, mean - 4 * sd);
    high = std::max(high, mean + 4 * sd);
  }
  const double margin = 0.03 * (high - low);
  return {std::max(low - margin, target.low), std::min(high + margin, target.high)};
}

std::vector<double> steps(std::pair<double, double> range, std::size_t count) {
  std::vector<double> values;
  for (std::size_t k = 0; k < count; ++k)
    values.push_back(range.first +
                     (range.second - range.first) * (static_cast<double>(k) + 0.5) / static_cast<double>(count));
  return values;
}

std::vector<double> densities(const Series& series, const torch::Tensor& theta) {
  return doubles(series.log_density(theta).exp());
}

Axis target_axis(const Target& target, std::pair<double, double> range) {
  return {target.title(), AxisScale::linear, range.first, range.second};
}

// Densities start at zero; a naive product that is far too sharp is cut rather than flattening the rest.
void fit_height(Plot& plot) {
  double most = 0, all = 0;
  for (const Line& line : plot.lines)
    for (const double y : line.y) {
      all = std::max(all, y);
      if (line.role != SeriesRole::naive) most = std::max(most, y);
    }
  plot.y.low = 0;
  plot.y.high = 1.08 * std::min(all, 1.6 * most);
}

Plot density_plot(const std::vector<Series>& series, const Target& target, double truth) {
  const auto range = shown_range(series, target, 0, truth);
  const std::vector<double> x = steps(range, 400);
  const torch::Tensor theta = torch::tensor(x, torch::kFloat64).unsqueeze(1);
  Plot plot;
  plot.x = target_axis(target, range);
  plot.y = {"density"};
  for (const Series& one : series) {
    Line line{one.name, one.role, one.style, false, x, densities(one, theta), {}, {}};
    plot.lines.push_back(std::move(line));
  }
  plot.rules.push_back({"truth", SeriesRole::truth, truth});
  fit_height(plot);
  return plot;
}

// Contours of 50 and 90 % with both marginals below, from one grid of densities.
void add_pair_plots(Figure& figure, const std::vector<Series>& series, const TaskInfo& info,
                    const std::vector<double>& truth, std::int64_t n, std::vector<std::vector<Plot>>& rows) {
  constexpr std::size_t kCells = 96;
  const auto range_x = shown_range(series, info.targets[0], 0, truth[0]);
  const auto range_y = shown_range(series, info.targets[1], 1, truth[1]);
  const std::vector<double> x = steps(range_x, kCells), y = steps(range_y, kCells);
  const std::vector<torch::Tensor> mesh =
      torch::meshgrid({torch::tensor(x, torch::kFloat64), torch::tensor(y, torch::kFloat64)}, "ij");
  const torch::Tensor theta = torch::stack({mesh[0].flatten(), mesh[1].flatten()}, 1);
  Plot joint, first, second;
  joint.title = fmt::format("N = {}", count_text(n));
  joint.x = target_axis(info.targets[0], range_x);
  joint.y = target_axis(info.targets[1], range_y);
  first.x = target_axis(info.targets[0], range_x);
  second.x = target_axis(info.targets[1], range_y);
  first.y = second.y = {"density"};
  const double dx = x[1] - x[0], dy = y[1] - y[0];
  for (const Series& one : series) {
    const std::vector<double> grid = densities(one, theta);  // θ1 by θ2
    constexpr auto kSide = static_cast<std::int64_t>(kCells);
    for (const double level : density_levels(grid, {0.5, 0.9}))
      for (Polyline& line : contour_lines(grid, kSide, kSide, y.front(), y.back(), x.front(), x.back(), level))
        joint.contours.push_back({one.name, one.role, one.style, std::move(line.y), std::move(line.x)});
    Line along_x{one.name, one.role, one.style, false, x, std::vector<double>(kCells, 0), {}, {}};
    Line along_y{one.name, one.role, one.style, false, y, std::vector<double>(kCells, 0), {}, {}};
    for (std::size_t i = 0; i < kCells; ++i)
      for (std::size_t j = 0; j < kCells; ++j) {
        along_x.y[i] += grid[i * kCells + j] * dy;
        along_y.y[j] += grid[i * kCells + j] * dx;
      }
    first.lines.push_back(std::move(along_x));
    second.lines.push_back(std::move(along_y));
  }
  fit_height(first);
  fit_height(second);
  joint.scatters.push_back({"truth", SeriesRole::truth, {truth[0]}, {truth[1]}});
  first.rules.push_back({"truth", SeriesRole::truth, truth[0]});
  second.rules.push_back({"truth", SeriesRole::truth, truth[1]});
  joint.legend = second.legend = false;
  first.legend = rows[0].empty();
  rows[0].push_back(std::move(joint));
  rows[1].push_back(std::move(first));
  rows[2].push_back(std::move(second));
  figure.columns = static_cast<std::int64_t>(rows[0].size());
}

}  // namespace

Figure posterior_figure(const std::vector<LoadedRun>& runs, std::int64_t set_index,
                        const std::function<bool()>& keep_going, std::int64_t only_n) {
  PAIRS_CHECK(!runs.empty(), "The figure posterior needs at least one run");
  const Task& task = *runs.front().task;
  const TaskInfo& info = task.info();
  PAIRS_CHECK(!info.image_target(),
              "The figure posterior draws densities, but the target of task {} is an image; draw the figure mse",
              info.name);
  PAIRS_CHECK(info.targets.size() <= 2, "The figure posterior draws one or two targets; task {} has {}", info.name,
              info.targets.size());
  std::int64_t most = info.max_n;
  std::string names;
  for (const LoadedRun& run : runs) {
    PAIRS_CHECK(run.config.task == info.name && run.task->info().variant == info.variant,
                "The runs {} and {} are of different tasks; draw one task at a time", runs.front().name, run.name);
    most = std::min(most, run.estimator->max_n());
    names += (names.empty() ? "" : ", ") + run.name;
  }
  const std::int64_t indices[] = {set_index};
  const Latents latents = task.latents(kFigureSeed, Purpose::explore, indices);
  std::vector<double> truth;
  for (std::size_t t = 0; t < info.targets.size(); ++t)
    truth.push_back(latents.theta[0][static_cast<std::int64_t>(t)].item<double>());

  Figure figure;
  const bool one = only_n > 0;
  figure.title = one ? fmt::format("{}: posterior at N = {}", info.title, count_text(only_n))
                     : info.title + ": the posterior sharpens as the set grows";
  figure.source = info.data_source + "; " + names;
  figure.plot_width = one ? 360 : 230;
  figure.plot_height = one ? 270 : 190;
  std::vector<std::vector<Plot>> rows(3);
  const std::vector<SeriesRole> roles = run_roles(runs);
  for (const std::int64_t n : one ? std::vector{only_n} : shown_sizes(runs, most)) {
    std::vector<Series> series = reference_series(task, latents, set_index, n);
    for (std::size_t r = 0; r < runs.size(); ++r)
      series.push_back(estimator_series(runs[r], roles[r], runs.size() == 1, latents, set_index, n, keep_going));
    if (info.targets.size() == 1) {
      Plot plot = density_plot(series, info.targets[0], truth[0]);
      plot.title = fmt::format("N = {}", count_text(n));
      plot.legend = rows[0].empty();
      rows[0].push_back(std::move(plot));
    } else {
      add_pair_plots(figure, series, info, truth, n, rows);
    }
  }
  figure.columns = static_cast<std::int64_t>(one && info.targets.size() == 2 ? rows.size() : rows[0].size());
  for (std::vector<Plot>& row : rows)
    for (Plot& plot : row) figure.plots.push_back(std::move(plot));
  return figure;
}

}  // namespace pairs
