#include "app/scores/score_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "app/kinds/target_room.h"
#include "app/runs/strategy_look.h"
#include "app/scores/score_figure_parts.h"
#include "core/base/error.h"
#include "core/report/number_text.h"
#include "core/report/shades.h"
#include "core/train/config.h"

namespace pairs {
namespace {

// y = 0 over the width of the lines.
Line zero_line(const std::vector<Line>& lines, const std::string& name, SeriesRole role) {
  Line zero;
  zero.name = name;
  zero.role = role;
  zero.style = role == SeriesRole::exact ? LineStyle::dashed : LineStyle::dotted;
  zero.x = {INFINITY, -INFINITY};
  zero.y = {0, 0};
  for (const Line& line : lines) {
    zero.x[0] = std::min(zero.x[0], line.x.front());
    zero.x[1] = std::max(zero.x[1], line.x.back());
  }
  return zero;
}

// A range that holds all bands, and zero not at its very edge.
void show_zero(Plot& plot) {
  double low = 0, high = 0;
  for (const Line& line : plot.lines) {
    for (const double y : line.lower) low = std::min(low, y);
    for (const double y : line.upper) high = std::max(high, y);
  }
  plot.y.low = low - 0.08 * (high - low);
  plot.y.high = high + 0.08 * (high - low);
}

void refuse_parameters(bool image, const std::string& task) {
  PAIRS_CHECK(image, "The figure mse is of images, but the target of task {} is not one; draw the figure rmae", task);
}
void refuse_without_exact(bool exact, const std::string& task) {
  PAIRS_CHECK(exact, "The task {} has no exact posterior to compare with; draw the figure nll", task);
}

}  // namespace

void check_figure_of(const std::string& figure, const Task& task) {
  const TaskInfo& info = task.info();
  target_room_of(info).check_figure(figure, info.name);
  const std::vector<std::string> known = task.references();
  if (figure == "gap") refuse_without_exact(std::find(known.begin(), known.end(), "exact") != known.end(), info.name);
}

Figure nll_figure(const std::vector<Metrics>& metrics) {
  check_parameters(metrics, "nll");
  Figure figure = against_n(metrics, "Negative log-likelihood", "NLL / nat");
  Plot& plot = figure.plots.front();
  plot.lines = metric_lines(metrics, &EvaluationRow::nll, &EvaluationRow::nll_se);
  std::map<std::int64_t, double> exact;
  std::map<std::string, std::map<std::int64_t, double>> others;
  for (const Metrics& one : metrics)
    for (const EvaluationRow& row : one.rows) {
      if (!std::isnan(row.exact_on_sets())) exact[row.n] = row.exact_on_sets();
      for (const auto& [name, value] : row.reference_nll)
        if (name != "exact") others[name][row.n] = value;
    }
  const auto reference = [&](const std::string& name, SeriesRole role, LineStyle style,
                             const std::map<std::int64_t, double>& values) {
    if (values.empty()) return;
    Line line;
    line.name = name;
    line.role = role;
    line.style = style;
    for (const auto& [n, value] : values) {
      line.x.push_back(static_cast<double>(n));
      line.y.push_back(value);
    }
    plot.lines.push_back(std::move(line));
  };
  reference("exact", SeriesRole::exact, LineStyle::dashed, exact);
  for (const auto& [name, values] : others)
    reference(name, name.find("naive") != std::string::npos ? SeriesRole::naive : SeriesRole::other, LineStyle::dotted,
              values);
  // A reference that fails badly must not squeeze the lines that matter.
  double low = INFINITY, high = -INFINITY;
  for (const Line& line : plot.lines) {
    if (line.role == SeriesRole::naive || line.role == SeriesRole::other) continue;
    for (const double y : line.y) {
      low = std::min(low, y);
      high = std::max(high, y);
    }
  }
  if (high > low) {
    plot.y.low = low - 0.08 * (high - low);
    plot.y.high = high + 0.08 * (high - low);
  }
  return figure;
}

Figure gap_figure(const std::vector<Metrics>& metrics) {
  check_parameters(metrics, "gap");
  Figure figure = against_n(metrics, "NLL above the exact posterior's", "gap / nat");
  Plot& plot = figure.plots.front();
  plot.lines = metric_lines(metrics, &EvaluationRow::gap, &EvaluationRow::gap_se);
  refuse_without_exact(!plot.lines.empty(), metrics.front().task);
  plot.lines.push_back(zero_line(plot.lines, "exact", SeriesRole::exact));
  show_zero(plot);
  return figure;
}

Figure difference_figure(const std::string& baseline, const std::vector<DifferenceCurve>& runs, const std::string& data,
                         const Score& score) {
  Figure figure;
  figure.title = score.name + " minus that of " + baseline;
  figure.source = data + "; " + baseline;
  figure.plot_width = 420;
  figure.plot_height = 300;
  Plot plot;
  plot.x = {"set size N", AxisScale::log};
  plot.y = {score.axis.ends_with("/ nat") ? "difference / nat" : "difference"};
  for (const DifferenceCurve& run : runs) {
    Line line;
    line.name = run.name;
    line.role = shaded(strategy_role(run.strategy), run.shade);
    line.markers = true;
    line.x = run.n;
    line.y = run.mean;
    for (std::size_t i = 0; i < run.mean.size(); ++i) {
      const double margin = std::isnan(run.se[i]) ? 0 : 2 * run.se[i];
      line.lower.push_back(run.mean[i] - margin);
      line.upper.push_back(run.mean[i] + margin);
    }
    if (!line.x.empty()) plot.lines.push_back(std::move(line));
    figure.source += ", " + run.name;
  }
  PAIRS_CHECK(!plot.lines.empty(), "No run was scored on the same test sets as {}", baseline);
  plot.lines.push_back(zero_line(plot.lines, baseline, SeriesRole::naive));
  show_zero(plot);
  figure.plots.push_back(std::move(plot));
  return figure;
}

Figure mse_figure(const std::vector<Metrics>& metrics) {
  Figure figure = against_n(metrics, "Squared error of predicted images", "MSE per pixel");
  for (const Metrics& one : metrics) {
    refuse_parameters(of_images(one.rows), one.task);
    for (const EvaluationRow& row : one.rows)
      PAIRS_CHECK(row.samples > 0, "{} was evaluated without samples; evaluate it again with --samples 5", one.run);
  }
  Plot& plot = figure.plots.front();
  std::vector<Line> means = metric_lines(metrics, &EvaluationRow::mse_posterior, &EvaluationRow::mse_posterior_se);
  std::vector<Line> draws = metric_lines(metrics, &EvaluationRow::mse, &EvaluationRow::mse_se);
  const bool one = draws.size() == 1;
  for (Line& line : draws) {
    line.name = one ? "a sample" : line.name + ", a sample";
    line.style = LineStyle::dotted;
  }
  for (Line& line : means) line.name = one ? "the posterior mean" : line.name + ", the mean";
  plot.lines = std::move(means);
  plot.lines.insert(plot.lines.end(), draws.begin(), draws.end());
  double prior = NAN;
  for (const Metrics& each : metrics)
    for (const EvaluationRow& row : each.rows)
      if (!std::isnan(row.mse_prior)) prior = row.mse_prior;
  PAIRS_CHECK(!plot.lines.empty() && !std::isnan(prior), "{} was evaluated on too few sets; evaluate it with more",
              metrics.front().run);
  Line floor = zero_line(plot.lines, "the mean image, N = 0", SeriesRole::other);
  Line blind = zero_line(plot.lines, "a prior sample, N = 0", SeriesRole::naive);
  floor.y = {prior, prior};
  blind.y = {2 * prior, 2 * prior};
  plot.lines.push_back(std::move(floor));
  plot.lines.push_back(std::move(blind));
  plot.y.low = 0;
  plot.y.high = 2.4 * prior;
  return figure;
}

Figure rmae_figure(const std::vector<Metrics>& metrics) {
  check_parameters(metrics, "rmae");
  check_sampled(metrics);
  Figure figure = against_n(metrics, "Relative mean absolute error of the posterior mean", "RMAE");
  figure.plots.front().lines = metric_lines(metrics, &EvaluationRow::rmae, nullptr);
  figure.plots.front().y.scale = AxisScale::log;
  return figure;
}

}  // namespace pairs
