#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "app/common/figures.h"
#include "app/common/table.h"
#include "core/base/error.h"
#include "core/train/config.h"

namespace pairs {
namespace {

// Runs that differ only in their seed.
using Group = std::vector<const Metrics*>;
std::vector<Group> group_by_seed(const std::vector<Metrics>& metrics) {
  PAIRS_CHECK(!metrics.empty(), "A figure of metrics needs at least one run");
  using Key = std::tuple<std::string, std::string, std::string, std::string>;
  std::map<Key, Group> groups;
  std::vector<Key> order;
  for (const Metrics& one : metrics) {
    PAIRS_CHECK(one.task == metrics.front().task, "The runs {} and {} are of different tasks; draw one task at a time",
                metrics.front().run, one.run);
    PAIRS_CHECK(one.data == metrics.front().data,
                "The run {} was evaluated on {} and {} on {}; draw runs of the same data at a time",
                metrics.front().run, metrics.front().data, one.run, one.data);
    const Key key{one.strategy, one.preset, one.convention, one.label};
    if (!groups.contains(key)) order.push_back(key);
    groups[key].push_back(&one);
  }
  std::vector<Group> out;
  for (const auto& key : order) out.push_back(groups[key]);
  return out;
}

std::string p_text(double p) {
  return p < 1e-12 ? "p < 1e-12" : fmt::format("p = {:.2g}", p);
}

std::string footnote(const std::vector<Metrics>& metrics) {
  std::string runs;
  for (const Metrics& one : metrics) runs += (runs.empty() ? "" : ", ") + one.run;
  return metrics.front().data + "; " + runs;
}

std::string group_name(const Group& group, bool one_preset) {
  const Metrics& first = *group.front();
  std::string name = first.label.empty() ? strategy_title(first.strategy) : first.label;
  if (!one_preset && first.label.empty()) name += ", " + first.preset;
  if (group.size() > 1) name += fmt::format(" ({} seeds)", group.size());
  return name;
}

// One line a group: the mean over seeds at each N, the band from least to greatest (one seed: ± 2 standard errors).
std::vector<Line> metric_lines(const std::vector<Metrics>& metrics, double EvaluationRow::*value,
                               double EvaluationRow::*error) {
  const bool one_preset =
      std::all_of(metrics.begin(), metrics.end(), [&](const Metrics& m) { return m.preset == metrics.front().preset; });
  std::vector<Line> lines;
  for (const Group& group : group_by_seed(metrics)) {
    Line line;
    line.name = group_name(group, one_preset);
    line.role = strategy_role(group.front()->strategy);
    line.markers = true;
    std::map<std::int64_t, std::vector<const EvaluationRow*>> by_n;
    for (const Metrics* one : group)
      for (const EvaluationRow& row : one->rows)
        if (!std::isnan(row.*value)) by_n[row.n].push_back(&row);
    for (const auto& [n, rows] : by_n) {
      double sum = 0, low = INFINITY, high = -INFINITY;
      for (const EvaluationRow* row : rows) {
        const double margin = rows.size() == 1 && error && !std::isnan(row->*error) ? 2 * row->*error : 0;
        sum += row->*value;
        low = std::min(low, row->*value - margin);
        high = std::max(high, row->*value + margin);
      }
      line.x.push_back(static_cast<double>(n));
      line.y.push_back(sum / static_cast<double>(rows.size()));
      line.lower.push_back(low);
      line.upper.push_back(high);
    }
    if (!line.x.empty()) lines.push_back(std::move(line));
  }
  return lines;
}

Figure against_n(const std::vector<Metrics>& metrics, const std::string& title, const std::string& label) {
  PAIRS_CHECK(!metrics.empty(), "A figure of metrics needs at least one run");
  Figure figure;
  figure.title = title;
  figure.source = footnote(metrics);
  figure.plot_width = 420;
  figure.plot_height = 300;
  Plot plot;
  plot.x = {"set size N", AxisScale::log};
  plot.y = {label};
  figure.plots.push_back(std::move(plot));
  return figure;
}

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

void check_parameters(const std::vector<Metrics>& metrics, const char* figure) {
  for (const Metrics& one : metrics)
    PAIRS_CHECK(
        !of_images(one.rows),
        "The figure {} is of densities of parameters, but the target of task {} is an image; draw the figure mse",
        figure, one.task);
}

void check_sampled(const std::vector<Metrics>& metrics) {
  for (const Metrics& one : metrics)
    for (const EvaluationRow& row : one.rows)
      PAIRS_CHECK(row.samples > 0, "{} was evaluated without samples; evaluate it again with --samples 500", one.run);
}

// Up to `most` rows spread over those of the metrics that carry ranks.
std::vector<std::size_t> spread_rows(const std::vector<EvaluationRow>& rows, std::size_t most) {
  std::vector<std::size_t> usable;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (!rows[i].ranks.empty()) usable.push_back(i);
  if (usable.size() <= most) return usable;
  std::vector<std::size_t> out;
  for (std::size_t k = 0; k < most; ++k) out.push_back(usable[k * (usable.size() - 1) / (most - 1)]);
  return out;
}

}  // namespace

SeriesRole strategy_role(const std::string& strategy) {
  if (strategy == "n1") return SeriesRole::n1;
  if (strategy == "n1-10") return SeriesRole::n1_10;
  if (strategy == "e2e") return SeriesRole::end_to_end;
  if (strategy == "gaussian") return SeriesRole::gaussian;
  return strategy == "pairs" ? SeriesRole::pairs : SeriesRole::other;
}

std::string strategy_title(const std::string& name) {
  for (const Strategy& one : strategies())
    if (one.name == name) return one.title;
  return name;
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
    plot.y.high = high + 0.35 * (high - low);
  }
  return figure;
}

Figure gap_figure(const std::vector<Metrics>& metrics) {
  check_parameters(metrics, "gap");
  Figure figure = against_n(metrics, "NLL above the exact posterior's", "gap / nat");
  Plot& plot = figure.plots.front();
  plot.lines = metric_lines(metrics, &EvaluationRow::gap, &EvaluationRow::gap_se);
  PAIRS_CHECK(!plot.lines.empty(), "The task {} has no exact posterior to compare with", metrics.front().task);
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
    line.role = strategy_role(run.strategy);
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
    PAIRS_CHECK(of_images(one.rows),
                "The figure mse is of images, but the target of task {} is not one; draw the figure rmae", one.task);
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

Figure acauc_figure(const std::vector<Metrics>& metrics) {
  check_parameters(metrics, "acauc");
  check_sampled(metrics);
  Figure figure = against_n(metrics, "Calibration error (ACAUC)", "ACAUC");
  Plot& plot = figure.plots.front();
  plot.lines = metric_lines(metrics, &EvaluationRow::acauc, nullptr);
  double floor = 0, least = INFINITY;
  for (const Metrics& one : metrics)
    for (const EvaluationRow& row : one.rows)
      if (!std::isnan(row.acauc_p95)) {
        floor = std::max(floor, row.acauc_p95);
        least = std::min(least, row.acauc_p95);
      }
  if (floor > 0)
    plot.bands.push_back({least < floor ? "noise floor, 95 % (fewest sets)" : "noise floor, 95 %", 0, floor});
  return figure;
}

Figure coverage_figure(const std::vector<Metrics>& metrics) {
  check_parameters(metrics, "coverage");
  PAIRS_CHECK(!metrics.empty(), "A figure of metrics needs at least one run");
  Figure figure;
  figure.title = "Coverage of central credible intervals";
  figure.source = footnote(metrics);
  figure.columns = 2;
  figure.plot_width = figure.plot_height = 240;
  std::vector<double> levels;
  for (int k = 1; k < 100; ++k) levels.push_back(k / 100.0);
  for (const std::size_t i : spread_rows(metrics.front().rows, 4)) {
    const std::int64_t n = metrics.front().rows[i].n;
    Plot plot;
    plot.title = fmt::format("N = {}", count_text(n));
    plot.x = {"credible level", AxisScale::linear, 0, 1};
    plot.y = {"share of truths inside", AxisScale::linear, 0, 1};
    Line ideal;
    ideal.name = metrics.size() == 1 ? "calibrated, 95 %" : "calibrated, 95 % (fewest sets)";
    ideal.role = SeriesRole::exact;
    ideal.style = LineStyle::dashed;
    std::int64_t fewest = metrics.front().rows[i].sets;
    for (const Metrics& one : metrics)
      for (const EvaluationRow& row : one.rows)
        if (row.n == n) fewest = std::min(fewest, row.sets);
    const double tests = static_cast<double>(fewest);
    for (const double level : levels) {
      const double margin = 1.96 * std::sqrt(level * (1 - level) / tests);
      ideal.x.push_back(level);
      ideal.y.push_back(level);
      ideal.lower.push_back(level - margin);
      ideal.upper.push_back(level + margin);
    }
    plot.lines.push_back(std::move(ideal));
    for (const Metrics& one : metrics)
      for (const EvaluationRow& row : one.rows) {
        if (row.n != n || row.ranks.empty()) continue;
        Line line;
        line.name = metrics.size() == 1 ? strategy_title(one.strategy) : one.run;
        line.role = strategy_role(one.strategy);
        line.x = levels;
        line.y.assign(levels.size(), 0);
        for (const auto& target : row.ranks) {
          const torch::Tensor ranks = torch::tensor(target, torch::kFloat64);
          const std::vector<double> coverage = central_coverage(ranks, levels);
          for (std::size_t k = 0; k < levels.size(); ++k)
            line.y[k] += coverage[k] / static_cast<double>(row.ranks.size());
        }
        plot.lines.push_back(std::move(line));
      }
    figure.plots.push_back(std::move(plot));
  }
  PAIRS_CHECK(!figure.plots.empty(), "{} was evaluated without samples; evaluate it again with --samples 500",
              metrics.front().run);
  return figure;
}

Figure ranks_figure(const Metrics& metrics, const std::vector<std::string>& targets) {
  constexpr std::int64_t kBins = 20;
  check_parameters({metrics}, "ranks");
  for (const EvaluationRow& row : metrics.rows)
    PAIRS_CHECK(
        row.ranks.empty() || row.sets >= kBins,
        "{} was evaluated on {} sets at N = {}; a histogram of ranks needs {} or more: evaluate it again with --sets",
        metrics.run, row.sets, row.n, kBins);
  Figure figure;
  figure.title = "Ranks of the truth among posterior samples";
  figure.source = metrics.data + "; " + metrics.run;
  for (const std::size_t i : spread_rows(metrics.rows, 6)) {
    const EvaluationRow& row = metrics.rows[i];
    for (std::size_t t = 0; t < row.ranks.size(); ++t) {
      const RankHistogram histogram = rank_histogram(torch::tensor(row.ranks[t], torch::kFloat64), kBins);
      Plot plot;
      const std::string name = t < targets.size() ? targets[t] : fmt::format("θ{}", t + 1);
      plot.title = fmt::format("N = {}, {} ({})", count_text(row.n), name, p_text(histogram.p_value));
      plot.x = {"rank", AxisScale::linear, 0, 1};
      plot.y = {"sets"};
      Bars bars;
      bars.role = strategy_role(metrics.strategy);
      for (std::int64_t k = 0; k <= kBins; ++k) bars.edges.push_back(static_cast<double>(k) / kBins);
      bars.heights = histogram.counts;
      plot.bars.push_back(std::move(bars));
      const double mean = static_cast<double>(row.ranks[t].size()) / kBins;
      const double margin = 2.576 * std::sqrt(mean * (1 - 1.0 / kBins));
      plot.bands.push_back({"calibrated, 99 %", std::max(0.0, mean - margin), mean + margin});
      plot.legend = figure.plots.empty();
      plot.y.high = 1.05 * std::max(mean + margin, *std::max_element(histogram.counts.begin(), histogram.counts.end()));
      figure.plots.push_back(std::move(plot));
    }
  }
  PAIRS_CHECK(!figure.plots.empty(), "{} was evaluated without samples; evaluate it again with --samples 500",
              metrics.run);
  figure.columns = static_cast<std::int64_t>(metrics.rows.front().ranks.size()) == 2 ? 2 : 3;
  figure.plot_width = 240;
  figure.plot_height = 160;
  return figure;
}

}  // namespace pairs
