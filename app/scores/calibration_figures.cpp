#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "app/runs/strategy_look.h"
#include "app/scores/score_figure_parts.h"
#include "app/scores/score_figures.h"
#include "core/base/text/error.h"
#include "core/eval/calibration/calibration.h"
#include "core/report/number_text.h"

namespace pairs {
namespace {

// The legend of both bands: within the inner one a run is calibrated, beyond the outer one miscalibrated.
constexpr const char* kCalibratedBand = "calibrated, 95 % and 99.9 %";

// "z 1.2, −0.4; p = 0.31", of location, width and ranks.
std::string test_text(const RankTest& test) {
  if (std::isnan(test.location_z)) return "too few sets";
  const std::string p = p_text(test.rank_p);
  return fmt::format("z {}, {}; p {}{}", number_text(test.location_z, 1), number_text(test.width_z, 1),
                     p.starts_with('<') ? "" : "= ", p);
}
// A summary by test_text for the rows shown and for all that have ranks.
std::string test_footnote(std::size_t shown, std::size_t all, bool worst_target) {
  std::string text = "; z of location and width, p of the ranks";
  if (worst_target) text += ", each of the target furthest off";
  if (shown < all) text += fmt::format("; {} of {} set sizes, the least calibrated among them", shown, all);
  return text;
}

// The numbers of a row that deviate most from those of a calibrated estimator, over its targets.
RankTest worst_test(const EvaluationRow& row) {
  RankTest worst;
  for (const RankTest& test : row.rank_tests) {
    const auto further = [](double a, double b) { return std::isnan(b) || std::fabs(a) > std::fabs(b) ? a : b; };
    worst.location_z = further(test.location_z, worst.location_z);
    worst.width_z = further(test.width_z, worst.width_z);
    worst.rank_p = std::isnan(worst.rank_p) ? test.rank_p : std::min(test.rank_p, worst.rank_p);
  }
  return worst;
}

// 12 -> "₁₂".
std::string subscript(std::size_t number) {
  constexpr const char* kDigits[] = {"₀", "₁", "₂", "₃", "₄", "₅", "₆", "₇", "₈", "₉"};
  std::string text;
  for (const char digit : std::to_string(number)) text += kDigits[digit - '0'];
  return text;
}

std::vector<std::size_t> ranked_rows(const std::vector<EvaluationRow>& rows) {
  std::vector<std::size_t> usable;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (!rows[i].ranks.empty()) usable.push_back(i);
  return usable;
}

// Least p-value of a row's tests.
double least_p(const EvaluationRow& row) {
  const RankTest worst = worst_test(row);
  const auto two_sided = [](double z) { return std::isnan(z) ? 1 : std::erfc(std::fabs(z) / std::sqrt(2.0)); };
  return std::min({two_sided(worst.location_z), two_sided(worst.width_z), std::isnan(worst.rank_p) ? 1 : worst.rank_p});
}

// The ACAUC below which a calibrated estimator stays, at each N for its number of sets and samples: one line if all
// runs were evaluated alike, else one per run.
void add_noise_floors(Plot& plot, const std::vector<Metrics>& metrics) {
  std::vector<Line> floors;
  for (const Metrics& one : metrics) {
    std::map<std::int64_t, double> by_n;
    for (const EvaluationRow& row : one.rows)
      if (!std::isnan(row.acauc_p95)) by_n[row.n] = row.acauc_p95;
    if (by_n.empty()) continue;
    Line floor;
    floor.name = "noise, 95 %: " + one.run;
    floor.role = SeriesRole::exact;
    floor.style = LineStyle::dashed;
    for (const auto& [n, p95] : by_n) {
      floor.x.push_back(static_cast<double>(n));
      floor.y.push_back(p95);
      floor.lower.push_back(0);
      floor.upper.push_back(p95);
    }
    if (std::none_of(floors.begin(), floors.end(),
                     [&](const Line& other) { return other.x == floor.x && other.y == floor.y; }))
      floors.push_back(std::move(floor));
  }
  if (floors.size() == 1) floors.front().name = "noise, 95 %";
  for (Line& floor : floors) plot.lines.push_back(std::move(floor));
}

std::vector<const EvaluationRow*> rows_by_n(const Metrics& metrics) {
  std::vector<const EvaluationRow*> rows;
  for (const EvaluationRow& row : metrics.rows) rows.push_back(&row);
  std::sort(rows.begin(), rows.end(), [](const EvaluationRow* a, const EvaluationRow* b) { return a->n < b->n; });
  return rows;
}

// One number of the rank tests against N: one line per run and target.
Plot test_plot(const std::vector<Metrics>& metrics, const char* label, double RankTest::*value) {
  Plot plot;
  plot.x = {"set size N", AxisScale::log};
  plot.y = {label};
  for (const Metrics& one : metrics) {
    std::map<std::size_t, Line> lines;
    for (const EvaluationRow* row : rows_by_n(one))
      for (std::size_t t = 0; t < row->rank_tests.size(); ++t) {
        Line& line = lines[t];
        line.x.push_back(static_cast<double>(row->n));
        line.y.push_back(row->rank_tests[t].*value);
      }
    for (auto& [t, line] : lines) {
      line.name = metrics.size() == 1 ? strategy_title(one.strategy) : one.run;
      if (lines.size() > 1)
        line.name = (metrics.size() == 1 ? "" : line.name + ", ") + fmt::format("θ{}", subscript(t + 1));
      line.role = role_of_run(one);
      line.markers = true;
      plot.lines.push_back(std::move(line));
    }
  }
  return plot;
}

// The range of calibrated estimators: between the limits of z, those of borderline within those of miscalibration.
void add_z_limits(Plot& plot, const CalibrationLimits& limits) {
  plot.bands.push_back({kCalibratedBand, -limits.miscalibrated.z, limits.miscalibrated.z});
  plot.bands.push_back({kCalibratedBand, -limits.borderline.z, limits.borderline.z});
  double most = limits.miscalibrated.z;
  for (const Line& line : plot.lines)
    for (const double y : line.y)
      if (std::isfinite(y)) most = std::max(most, std::fabs(y));
  plot.y.low = -1.15 * most;
  plot.y.high = 1.15 * most;
}

// The effect of resampling the pool on the location, in its standard errors over sets.
void add_pool_lines(Plot& plot, const std::vector<Metrics>& metrics) {
  for (const Metrics& one : metrics) {
    Line line;
    line.name = metrics.size() == 1 ? "explained by the pool, 95 %" : "by the pool, 95 %: " + one.run;
    line.role = SeriesRole::exact;
    line.style = LineStyle::dotted;
    for (const EvaluationRow* row : rows_by_n(one)) {
      if (row->pool_location_sd.empty()) continue;
      const double sd = *std::max_element(row->pool_location_sd.begin(), row->pool_location_sd.end());
      const double reach = 1.96 * std::hypot(1.0, sd / mean_rank_se(row->sets, row->samples));
      line.x.push_back(static_cast<double>(row->n));
      line.y.push_back(0);
      line.lower.push_back(-reach);
      line.upper.push_back(reach);
    }
    if (!line.x.empty()) plot.lines.push_back(std::move(line));
  }
}

}  // namespace

std::string pool_footnote(const std::vector<Metrics>& metrics) {
  for (const Metrics& one : metrics)
    for (const EvaluationRow& row : one.rows)
      if (row.pool > 0)
        return fmt::format("; all sets share {} observations, which alone move posteriors by √(N / {}) sd",
                           count_text(row.pool), count_text(row.pool));
  return "";
}

std::vector<std::size_t> spread_rows(const std::vector<EvaluationRow>& rows, std::size_t most) {
  const std::vector<std::size_t> usable = ranked_rows(rows);
  if (usable.size() <= most) return usable;
  const std::size_t worst = *std::min_element(
      usable.begin(), usable.end(), [&](std::size_t a, std::size_t b) { return least_p(rows[a]) < least_p(rows[b]); });
  std::vector<std::size_t> out;
  for (std::size_t k = 0; k < most; ++k) out.push_back(usable[k * (usable.size() - 1) / (most - 1)]);
  // Replaces its nearest neighbor between the first and the last.
  const auto distance = [&](std::size_t i) { return i > worst ? i - worst : worst - i; };
  if (std::find(out.begin(), out.end(), worst) == out.end())
    *std::min_element(out.begin() + 1, out.end() - 1,
                      [&](std::size_t a, std::size_t b) { return distance(a) < distance(b); }) = worst;
  return out;
}

Figure acauc_figure(const std::vector<Metrics>& metrics) {
  check_figure_suits(metrics, "acauc");
  check_sampled(metrics);
  Figure figure = against_n(metrics, "Calibration: ACAUC and tests of the truth's rank", "ACAUC");
  figure.columns = 2;
  figure.plot_width = 320;
  figure.plot_height = 220;
  figure.plots.front().lines = metric_lines(metrics, score_named("acauc"));
  add_noise_floors(figure.plots.front(), metrics);
  CalibrationLimits limits = calibration_limits(1);
  for (const Metrics& one : metrics)
    if (const CalibrationLimits own = calibration_limits(one.rows); own.tests > limits.tests) limits = own;
  Plot location = test_plot(metrics, "location z", &RankTest::location_z);
  Plot width = test_plot(metrics, "width z", &RankTest::width_z);
  Plot ranks = test_plot(metrics, "rank p", &RankTest::rank_p);
  add_z_limits(location, limits);
  add_pool_lines(location, metrics);
  add_z_limits(width, limits);
  constexpr double kLeast = 1e-12;
  ranks.y.scale = AxisScale::log;
  ranks.y.low = kLeast;
  ranks.y.high = 2;
  for (Line& line : ranks.lines)
    for (double& y : line.y) y = std::max(y, kLeast);
  ranks.bands.push_back({kCalibratedBand, limits.miscalibrated.p, 1});
  ranks.bands.push_back({kCalibratedBand, limits.borderline.p, 1});
  for (Plot* plot : {&location, &width, &ranks}) figure.plots.push_back(std::move(*plot));
  figure.source += pool_footnote(metrics);
  return figure;
}

Figure coverage_figure(const std::vector<Metrics>& metrics) {
  check_figure_suits(metrics, "coverage");
  PAIRS_CHECK(!metrics.empty(), "A figure of metrics needs at least one run");
  Figure figure;
  figure.title = "Coverage of central credible intervals";
  const std::vector<EvaluationRow>& rows = metrics.front().rows;
  const std::vector<std::size_t> shown = spread_rows(rows, 6);
  const bool many_targets = !shown.empty() && rows[shown.front()].rank_tests.size() > 1;
  figure.source =
      footnote(metrics) + test_footnote(shown.size(), ranked_rows(rows).size(), many_targets) + pool_footnote(metrics);
  figure.columns = 2;
  figure.plot_width = figure.plot_height = 260;
  std::vector<double> levels;
  for (int k = 1; k < 100; ++k) levels.push_back(k / 100.0);
  for (const std::size_t i : shown) {
    const std::int64_t n = rows[i].n;
    Plot plot;
    plot.title = fmt::format("N = {}", count_text(n));
    if (metrics.size() == 1) plot.title += ": " + test_text(worst_test(rows[i]));
    plot.x = {"credible level", AxisScale::linear, 0, 1};
    plot.y = {"share of truths inside", AxisScale::linear, 0, 1};
    std::vector<Line> ideals;
    for (const Metrics& one : metrics)
      for (const EvaluationRow& row : one.rows) {
        if (row.n != n || row.ranks.empty()) continue;
        Line ideal;
        ideal.name = "calibrated, 95 %: " + one.run;
        ideal.role = SeriesRole::exact;
        ideal.style = LineStyle::dashed;
        for (const double level : levels) {
          const double share = central_coverage_of_uniform(row.samples, level);
          const double margin = 1.96 * std::sqrt(share * (1 - share) / static_cast<double>(row.sets));
          ideal.x.push_back(level);
          ideal.y.push_back(share);
          ideal.lower.push_back(share - margin);
          ideal.upper.push_back(share + margin);
        }
        if (std::none_of(ideals.begin(), ideals.end(), [&](const Line& other) { return other.lower == ideal.lower; }))
          ideals.push_back(std::move(ideal));
      }
    if (ideals.size() == 1) ideals.front().name = "calibrated, 95 %";
    for (Line& ideal : ideals) plot.lines.push_back(std::move(ideal));
    for (const Metrics& one : metrics)
      for (const EvaluationRow& row : one.rows) {
        if (row.n != n || row.ranks.empty()) continue;
        Line line;
        line.name = metrics.size() == 1 ? strategy_title(one.strategy)
                                        : fmt::format("{}: {}", one.run, test_text(worst_test(row)));
        line.role = role_of_run(one);
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
  PAIRS_CHECK(!figure.plots.empty(), "{} was evaluated without samples; evaluate it again with --samples 499",
              metrics.front().run);
  return figure;
}

Figure ranks_figure(const Metrics& metrics, const std::vector<std::string>& targets) {
  check_figure_suits({metrics}, "ranks");
  for (const EvaluationRow& row : metrics.rows)
    PAIRS_CHECK(row.ranks.empty() || row.sets >= 20,
                "{} was evaluated on {} sets at N = {}; a histogram of ranks needs 20 or more: evaluate it again with "
                "--sets",
                metrics.run, row.sets, row.n);
  Figure figure;
  figure.title = "Ranks of the truth among posterior samples";
  const std::vector<std::size_t> shown = spread_rows(metrics.rows, 8);
  figure.source = metrics.data + "; " + metrics.run +
                  test_footnote(shown.size(), ranked_rows(metrics.rows).size(), false) + pool_footnote({metrics});
  for (const std::size_t i : shown) {
    const EvaluationRow& row = metrics.rows[i];
    for (std::size_t t = 0; t < row.ranks.size(); ++t) {
      const RankHistogram histogram = rank_histogram(row.ranks[t], row.samples);
      Plot plot;
      const std::string name = t < targets.size() ? targets[t] : fmt::format("θ{}", t + 1);
      plot.title = fmt::format("N = {}, {}: {}", count_text(row.n), name, test_text(row.rank_tests.at(t)));
      plot.x = {"rank", AxisScale::linear, 0, 1};
      plot.y = {"sets, over those expected"};
      Bars bars;
      bars.role = role_of_run(metrics);
      bars.edges = histogram.edges;
      double most = 0, margin = 0;
      for (std::size_t b = 0; b < histogram.counts.size(); ++b) {
        const double expected = histogram.expected[b];
        bars.heights.push_back(histogram.counts[b] / expected);
        most = std::max(most, bars.heights.back());
        // Bins differ by one value at most.
        margin = std::max(margin, 2.576 * std::sqrt((1 - expected / static_cast<double>(row.sets)) / expected));
      }
      plot.bars.push_back(std::move(bars));
      plot.bands.push_back({"calibrated, 99 %", std::max(0.0, 1 - margin), 1 + margin});
      plot.legend = figure.plots.empty();
      plot.y.high = 1.05 * std::max(1 + margin, most);
      figure.plots.push_back(std::move(plot));
    }
  }
  PAIRS_CHECK(!figure.plots.empty(), "{} was evaluated without samples; evaluate it again with --samples 499",
              metrics.run);
  figure.columns = static_cast<std::int64_t>(metrics.rows.front().ranks.size()) == 2 ? 2 : 3;
  figure.plot_width = 250;
  figure.plot_height = 160;
  return figure;
}

}  // namespace pairs
