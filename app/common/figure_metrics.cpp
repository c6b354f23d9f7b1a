#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "app/common/figures.h"
#include "app/common/table.h"
#include "core/base/error.h"
#include "core/report/shades.h"
#include "core/train/config.h"

namespace pairs {
namespace {

SeriesRole role_of_run(const Metrics& metrics) {
  return shaded(strategy_role(metrics.strategy), metrics.shade);
}

// Runs that differ only in their seed.
using Group = std::vector<const Metrics*>;
std::vector<Group> group_by_seed(const std::vector<Metrics>& metrics) {
  PAIRS_CHECK(!metrics.empty(), "A figure of metrics needs at least one run");
  using Key = std::tuple<std::string, std::string, std::map<std::string, std::string>, std::string>;
  std::map<Key, Group> groups;
  std::vector<Key> order;
  for (const Metrics& one : metrics) {
    PAIRS_CHECK(one.task == metrics.front().task, "The runs {} and {} are of different tasks; draw one task at a time",
                metrics.front().run, one.run);
    PAIRS_CHECK(one.data == metrics.front().data,
                "The run {} was evaluated on {} and {} on {}; draw runs of the same data at a time",
                metrics.front().run, metrics.front().data, one.run, one.data);
    const Key key{one.strategy, one.preset, one.settings, one.label};
    if (!groups.contains(key)) order.push_back(key);
    for (const Metrics* other : groups[key])
      PAIRS_CHECK(
          other->training_seed != one.training_seed,
          "The runs {} and {} have the same seed, {}, so they are not two seeds of one setting; draw one of them",
          other->run, one.run, one.training_seed);
    groups[key].push_back(&one);
  }
  std::vector<Group> out;
  for (const auto& key : order) out.push_back(groups[key]);
  return out;
}

// "z 1.2, −0.4; p = 0.31", of location, width and ranks.
std::string test_text(const RankTest& test) {
  if (std::isnan(test.location_z)) return "too few sets";
  const std::string p = p_text(test.rank_p);
  return fmt::format("z {}, {}; p {}{}", number_text(test.location_z, 1), number_text(test.width_z, 1),
                     p.starts_with('<') ? "" : "= ", p);
}
// What test_text tells, of the rows shown and all that carry ranks.
std::string test_footnote(std::size_t shown, std::size_t all, bool worst_target) {
  std::string text = "; z of location and width, p of the ranks";
  if (worst_target) text += ", each of the target furthest off";
  if (shown < all) text += fmt::format("; {} of {} set sizes, the least calibrated among them", shown, all);
  return text;
}

// The numbers of a row that are furthest from those of a calibrated estimator, over its targets.
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

// "400" or, where it depends on N, "400 to 20,000".
std::string sets_text(const Metrics& metrics) {
  std::int64_t least = INT64_MAX, most = 0;
  for (const EvaluationRow& row : metrics.rows) {
    least = std::min(least, row.sets);
    most = std::max(most, row.sets);
  }
  return least >= most ? count_text(most) : fmt::format("{} to {}", count_text(least), count_text(most));
}

// The data and the runs; of runs that were evaluated on different numbers of sets, these too.
std::string footnote(const std::vector<Metrics>& metrics) {
  const bool alike = std::all_of(metrics.begin(), metrics.end(), [&](const Metrics& one) {
    return sets_text(one) == sets_text(metrics.front()) && one.rows.size() == metrics.front().rows.size();
  });
  std::string runs;
  for (const Metrics& one : metrics) {
    runs += (runs.empty() ? "" : ", ") + one.run;
    if (!alike) runs += fmt::format(" ({} sets, {} sizes)", sets_text(one), one.rows.size());
  }
  return metrics.front().data + "; " + runs;
}

// 12 -> "₁₂".
std::string subscript(std::size_t number) {
  constexpr const char* kDigits[] = {"₀", "₁", "₂", "₃", "₄", "₅", "₆", "₇", "₈", "₉"};
  std::string text;
  for (const char digit : std::to_string(number)) text += kDigits[digit - '0'];
  return text;
}

// What the pool alone does, where test sets share one.
std::string pool_footnote(const std::vector<Metrics>& metrics) {
  for (const Metrics& one : metrics)
    for (const EvaluationRow& row : one.rows)
      if (row.pool > 0)
        return fmt::format("; all sets share {} observations, which alone move posteriors by √(N / {}) sd",
                           count_text(row.pool), count_text(row.pool));
  return "";
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
    line.role = role_of_run(*group.front());
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

void refuse_images(bool image, const std::string& figure, const std::string& task) {
  PAIRS_CHECK(!image,
              "The figure {} is of densities of parameters, but the target of task {} is an image; draw the figure mse",
              figure, task);
}
void refuse_parameters(bool image, const std::string& task) {
  PAIRS_CHECK(image, "The figure mse is of images, but the target of task {} is not one; draw the figure rmae", task);
}
void refuse_without_exact(bool exact, const std::string& task) {
  PAIRS_CHECK(exact, "The task {} has no exact posterior to compare with; draw the figure nll", task);
}

void check_parameters(const std::vector<Metrics>& metrics, const char* figure) {
  for (const Metrics& one : metrics) refuse_images(of_images(one.rows), figure, one.task);
}

void check_sampled(const std::vector<Metrics>& metrics) {
  for (const Metrics& one : metrics)
    for (const EvaluationRow& row : one.rows)
      PAIRS_CHECK(row.samples > 0, "{} was evaluated without samples; evaluate it again with --samples 499", one.run);
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

// Up to `most` rows spread over those that carry ranks, with the least calibrated one among them.
std::vector<std::size_t> spread_rows(const std::vector<EvaluationRow>& rows, std::size_t most) {
  const std::vector<std::size_t> usable = ranked_rows(rows);
  if (usable.size() <= most) return usable;
  const std::size_t worst = *std::min_element(
      usable.begin(), usable.end(), [&](std::size_t a, std::size_t b) { return least_p(rows[a]) < least_p(rows[b]); });
  std::vector<std::size_t> out;
  for (std::size_t k = 0; k < most; ++k) out.push_back(usable[k * (usable.size() - 1) / (most - 1)]);
  // In place of its nearest neighbour between the first and the last.
  const auto distance = [&](std::size_t i) { return i > worst ? i - worst : worst - i; };
  if (std::find(out.begin(), out.end(), worst) == out.end())
    *std::min_element(out.begin() + 1, out.end() - 1,
                      [&](std::size_t a, std::size_t b) { return distance(a) < distance(b); }) = worst;
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

void check_figure_of(const std::string& figure, const Task& task) {
  const TaskInfo& info = task.info();
  if (figure == "mse") return refuse_parameters(info.image_target(), info.name);
  refuse_images(info.image_target(), figure, info.name);
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

namespace {

// The ACAUC that a calibrated estimator stays below, at each N by its own sets and samples: one line where all runs
// were evaluated alike, else one a run.
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

// One number of the rank tests against N: a line a run and target.
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

// Where calibrated estimators lie: between -limit and limit.
void add_z_limits(Plot& plot, double limit) {
  plot.bands.push_back({"calibrated, 99.9 %", -limit, limit});
  double most = limit;
  for (const Line& line : plot.lines)
    for (const double y : line.y)
      if (std::isfinite(y)) most = std::max(most, std::fabs(y));
  plot.y.low = -1.15 * most;
  plot.y.high = 1.15 * most;
}

// What resampling the pool explains of the location, in its standard errors over sets.
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

Figure acauc_figure(const std::vector<Metrics>& metrics) {
  check_parameters(metrics, "acauc");
  check_sampled(metrics);
  Figure figure = against_n(metrics, "Calibration: ACAUC and tests of the truth's rank", "ACAUC");
  figure.columns = 2;
  figure.plot_width = 320;
  figure.plot_height = 220;
  figure.plots.front().lines = metric_lines(metrics, &EvaluationRow::acauc, nullptr);
  add_noise_floors(figure.plots.front(), metrics);
  CalibrationLimits limits{0, 1};
  for (const Metrics& one : metrics) {
    const CalibrationLimits own = calibration_limits(one.rows);
    limits = {std::max(limits.z, own.z), std::min(limits.p, own.p)};
  }
  Plot location = test_plot(metrics, "location z", &RankTest::location_z);
  Plot width = test_plot(metrics, "width z", &RankTest::width_z);
  Plot ranks = test_plot(metrics, "rank p", &RankTest::rank_p);
  add_z_limits(location, limits.z);
  add_pool_lines(location, metrics);
  add_z_limits(width, limits.z);
  constexpr double kLeast = 1e-12;
  ranks.y.scale = AxisScale::log;
  ranks.y.low = kLeast;
  ranks.y.high = 2;
  for (Line& line : ranks.lines)
    for (double& y : line.y) y = std::max(y, kLeast);
  ranks.bands.push_back({"calibrated, 99.9 %", limits.p, 1});
  for (Plot* plot : {&location, &width, &ranks}) figure.plots.push_back(std::move(*plot));
  figure.source += pool_footnote(metrics);
  return figure;
}

Figure coverage_figure(const std::vector<Metrics>& metrics) {
  check_parameters(metrics, "coverage");
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
  check_parameters({metrics}, "ranks");
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
