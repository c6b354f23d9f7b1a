#include "app/scores/score_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include "app/runs/strategy_look.h"
#include "app/scores/score_figure_parts.h"
#include "app/scores/scoring.h"
#include "core/base/text/error.h"
#include "core/eval/references/learned_product.h"
#include "core/report/number_text.h"
#include "core/report/shades.h"
#include "core/train/settings/config.h"

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

// A range that contains all bands, with zero not at its very edge.
void show_zero(Plot& plot) {
  double low = 0, high = 0;
  for (const Line& line : plot.lines) {
    for (const double y : line.lower) low = std::min(low, y);
    for (const double y : line.upper) high = std::max(high, y);
  }
  plot.y.low = low - 0.08 * (high - low);
  plot.y.high = high + 0.08 * (high - low);
}

// The name of a reference of these metrics; with several runs, the learned product includes its run's name.
std::string reference_name(const Metrics& one, const std::string& name, bool several) {
  if (name != kLearnedProduct || !several) return name;
  return fmt::format("{} of {}", name, one.label.empty() ? strategy_title(one.strategy) : one.label);
}

// A line without points of a reference that is not the exact posterior.
Line reference_line(const std::string& name) {
  Line line;
  line.name = name;
  line.role = name.find("naive") != std::string::npos ? SeriesRole::naive : SeriesRole::other;
  line.style = name.starts_with(kLearnedProduct) ? LineStyle::dashed : LineStyle::dotted;
  return line;
}

// The excess of the other references over the exact posterior, from the run with the most sets at each N.
std::vector<Line> reference_gaps(const std::vector<Metrics>& metrics) {
  std::vector<Line> out;
  struct Gap {
    std::int64_t sets;
    double mean, se;
  };
  std::map<std::string, std::map<std::int64_t, Gap>> known;
  for (const Metrics& one : metrics)
    for (const EvaluationRow& row : one.rows)
      for (const auto& [name, value] : row.reference_nll) {
        if (name == "exact" || std::isnan(row.exact_on_sets()) || !std::isfinite(value)) continue;
        const auto paired = row.reference_gap.find(name);
        const Gap gap = paired != row.reference_gap.end() ? Gap{row.sets, paired->second.mean, paired->second.se}
                                                          : Gap{row.sets, value - row.exact_on_sets(), NAN};
        auto& of_name = known[reference_name(one, name, metrics.size() > 1)];
        const auto [best, first] = of_name.emplace(row.n, gap);
        if (!first && gap.sets > best->second.sets) best->second = gap;
      }
  for (const auto& [name, rows] : known) {
    Line line = reference_line(name);
    for (const auto& [n, gap] : rows) {
      line.x.push_back(static_cast<double>(n));
      line.y.push_back(gap.mean);
      const double margin = std::isnan(gap.se) ? 0 : 2 * gap.se;
      line.lower.push_back(line.y.back() - margin);
      line.upper.push_back(line.y.back() + margin);
    }
    out.push_back(std::move(line));
  }
  return out;
}

// A logarithmic range of the positive values, at most six decades.
void show_positive(Plot& plot) {
  double low = INFINITY, high = 0;
  for (const Line& line : plot.lines)
    for (const double y : line.y)
      if (y > 0) {
        low = std::min(low, y);
        high = std::max(high, y);
      }
  if (high > 0) {
    plot.y.low = std::max(low, 1e-6 * high) / 2;
    plot.y.high = 2 * high;
  }
}

void refuse_without_exact(bool exact, const std::string& task) {
  PAIRS_CHECK(exact, "The task {} has no exact posterior to compare with; draw the figure nll", task);
}

}  // namespace

void check_figure_of(const std::string& figure, const Task& task) {
  const TaskInfo& info = task.info();
  scoring_of(info).check_figure(figure, info.name);
  const std::vector<std::string> known = task.references();
  if (figure == "gap") refuse_without_exact(std::find(known.begin(), known.end(), "exact") != known.end(), info.name);
}

Figure nll_figure(const std::vector<Metrics>& metrics) {
  check_figure_suits(metrics, "nll");
  Figure figure = against_n(metrics, "Negative log-likelihood", "NLL / nat");
  Plot& plot = figure.plots.front();
  plot.lines = metric_lines(metrics, score_named("nll"));
  std::map<std::int64_t, double> exact;
  std::map<std::string, std::map<std::int64_t, double>> others;
  for (const Metrics& one : metrics)
    for (const EvaluationRow& row : one.rows) {
      if (!std::isnan(row.exact_on_sets())) exact[row.n] = row.exact_on_sets();
      for (const auto& [name, value] : row.reference_nll)
        if (name != "exact") others[reference_name(one, name, metrics.size() > 1)][row.n] = value;
    }
  const auto add = [&](Line line, const std::map<std::int64_t, double>& values) {
    if (values.empty()) return;
    for (const auto& [n, value] : values) {
      line.x.push_back(static_cast<double>(n));
      line.y.push_back(value);
    }
    plot.lines.push_back(std::move(line));
  };
  Line known;
  known.name = "exact";
  known.role = SeriesRole::exact;
  known.style = LineStyle::dashed;
  add(std::move(known), exact);
  for (const auto& [name, values] : others) add(reference_line(name), values);
  // A reference that fails badly must not compress the important lines.
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
  check_figure_suits(metrics, "gap");
  Figure figure = against_n(metrics, "Excess NLL", "gap / nat");
  Plot& plot = figure.plots.front();
  plot.lines = metric_lines(metrics, score_named("gap"));
  refuse_without_exact(!plot.lines.empty(), metrics.front().task);
  std::vector<Line> references = reference_gaps(metrics);
  if (!references.empty()) {
    // A logarithmic axis covers runs and references; on a linear axis the references would compress the runs.
    Plot all;
    all.title = "next to the other references";
    all.x = plot.x;
    all.y = {plot.y.label, AxisScale::log};
    all.lines = plot.lines;
    all.lines.insert(all.lines.end(), std::make_move_iterator(references.begin()),
                     std::make_move_iterator(references.end()));
    show_positive(all);
    figure.columns = 2;
    figure.plots.push_back(std::move(all));
  }
  Plot& own = figure.plots.front();
  own.lines.push_back(zero_line(own.lines, "exact", SeriesRole::exact));
  show_zero(own);
  return figure;
}

namespace {

// A figure of scores compared with a baseline: a line with markers for each run that has any, without bounds.
Figure beside_baseline(const std::string& title, const std::string& baseline, const std::vector<DifferenceCurve>& runs,
                       const std::string& data) {
  Figure figure;
  figure.title = title + " " + baseline;
  figure.source = data + "; " + baseline;
  figure.plot_width = 420;
  figure.plot_height = 300;
  Plot plot;
  plot.x = {"set size N", AxisScale::log};
  for (const DifferenceCurve& run : runs) {
    if (run.n.empty()) continue;
    Line line;
    line.name = run.name;
    line.role = shaded(strategy_role(run.strategy), run.shade);
    line.markers = true;
    line.x = run.n;
    line.y = run.mean;
    plot.lines.push_back(std::move(line));
    figure.source += ", " + run.name;
  }
  figure.plots.push_back(std::move(plot));
  return figure;
}

}  // namespace

Figure difference_figure(const std::string& baseline, const std::vector<DifferenceCurve>& runs, const std::string& data,
                         const Score& score) {
  Figure figure = beside_baseline(score.in_sentence() + " minus that of", baseline, runs, data);
  Plot& plot = figure.plots.front();
  PAIRS_CHECK(!plot.lines.empty(), "No run was scored on the same test sets as {}", baseline);
  plot.y = {score.unit.empty() ? "difference" : "difference / " + score.unit};
  auto line = plot.lines.begin();
  for (const DifferenceCurve& run : runs) {
    if (run.n.empty()) continue;
    for (std::size_t i = 0; i < run.mean.size(); ++i) {
      const double margin = std::isnan(run.se[i]) ? 0 : 2 * run.se[i];
      line->lower.push_back(run.mean[i] - margin);
      line->upper.push_back(run.mean[i] + margin);
    }
    ++line;
  }
  plot.lines.push_back(zero_line(plot.lines, baseline, SeriesRole::naive));
  show_zero(plot);
  return figure;
}

Figure apart_figure(const std::string& baseline, const std::vector<DifferenceCurve>& runs, const std::string& data) {
  Figure figure = beside_baseline("Posterior means against those of", baseline, runs, data);
  Plot& plot = figure.plots.front();
  PAIRS_CHECK(!plot.lines.empty(),
              "No posterior means of the same sets are stored of {} and another run; evaluate them again", baseline);
  plot.y = {"rms difference of means / sd"};
  double most = 0.1;
  for (const Line& line : plot.lines) most = std::max(most, *std::max_element(line.y.begin(), line.y.end()));
  plot.y.high = 1.08 * most;
  return figure;
}

Figure mse_figure(const std::vector<Metrics>& metrics) {
  check_figure_suits(metrics, "mse");
  Figure figure = against_n(metrics, "Squared error of predicted images", "MSE per pixel");
  for (const Metrics& one : metrics) {
    for (const EvaluationRow& row : one.rows)
      PAIRS_CHECK(row.samples > 0, "{} was evaluated without samples; evaluate it again with --samples 5", one.run);
  }
  Plot& plot = figure.plots.front();
  std::vector<Line> means = metric_lines(metrics, score_named("mse_posterior"));
  std::vector<Line> draws = metric_lines(metrics, score_named("mse"));
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

Figure score_figure(const Score& score, const std::vector<Metrics>& metrics, const std::vector<std::string>& targets) {
  if (score.figure.draw) return score.figure.draw(metrics, targets);
  check_figure_suits(metrics, score.key);
  if (score.needs == ScoreNeeds::samples) check_sampled(metrics);
  Figure figure = against_n(metrics, score.figure.heading, score.heading());
  figure.plots.front().lines = metric_lines(metrics, score);
  PAIRS_CHECK(!figure.plots.front().lines.empty(), "{} was evaluated without the {}; evaluate it again",
              metrics.front().run, score.in_sentence());
  figure.plots.front().y.scale = score.figure.scale;
  return figure;
}

}  // namespace pairs
