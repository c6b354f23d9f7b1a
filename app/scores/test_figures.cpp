#include "app/scores/test_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "app/runs/strategy_look.h"
#include "app/scores/score_figure_parts.h"
#include "core/base/text/error.h"
#include "core/eval/calibration/calibration.h"
#include "core/eval/calibration/regions.h"
#include "core/eval/calibration/uniform_ecdf.h"
#include "core/eval/metrics/cells.h"
#include "core/report/number_text.h"
#include "core/report/shades.h"

namespace pairs {
namespace {

constexpr double kBandLevel = 0.95;
constexpr const char* kBandName = "calibrated, 95 %";
constexpr std::size_t kMostDrawnSets = 200, kMostDots = 1000;
constexpr std::size_t kMapCells = 8, kFewestInCell = 10;

std::string target_name(const std::vector<std::string>& targets, std::size_t t) {
  return t < targets.size() ? targets[t] : fmt::format("target {}", t + 1);
}

std::string p_words(double p) {
  const std::string text = p_text(p);
  return text.starts_with('<') ? "p " + text : "p = " + text;
}

// Up to `most` rows with a figure's data, including the least calibrated one.
std::vector<const EvaluationRow*> rows_with(const Metrics& metrics, std::size_t most, const char* what,
                                            bool (*holds)(const EvaluationRow&)) {
  std::vector<const EvaluationRow*> out;
  for (const std::size_t i : spread_rows(metrics.rows, most))
    if (holds(metrics.rows[i])) out.push_back(&metrics.rows[i]);
  PAIRS_CHECK(!out.empty(), "{} was evaluated without {}; evaluate it again, with samples and 20 sets or more",
              metrics.run, what);
  return out;
}

Figure empty_figure(const Metrics& metrics, const std::string& title, std::size_t shown) {
  Figure figure;
  figure.title = title;
  figure.source = footnote({metrics}) + pool_footnote({metrics});
  std::size_t all = 0;
  for (const EvaluationRow& row : metrics.rows) all += row.ranks.empty() ? 0 : 1;
  if (shown < all) figure.source += fmt::format("; {} of {} set sizes, the least calibrated among them", shown, all);
  return figure;
}

// Shares at 0, at the cuts and at 1, less the expected ones where `difference`.
Line with_ends(const std::vector<double>& expected, const std::vector<double>& shares, bool difference) {
  Line line;
  line.x.push_back(0);
  line.y.push_back(0);
  for (std::size_t c = 0; c < expected.size(); ++c) {
    line.x.push_back(expected[c]);
    line.y.push_back(shares[c] - (difference ? expected[c] : 0));
  }
  line.x.push_back(1);
  line.y.push_back(difference ? 0 : 1);
  return line;
}

Line band_line(const UniformEcdf& ecdf, const UniformEcdf::Band& band, bool difference) {
  Line line = with_ends(ecdf.expected(), ecdf.expected(), difference);
  line.lower = with_ends(ecdf.expected(), band.low, difference).y;
  line.upper = with_ends(ecdf.expected(), band.high, difference).y;
  line.name = kBandName;
  line.role = SeriesRole::exact;
  line.style = LineStyle::dashed;
  return line;
}

// The distribution function of ranks, one line for each list of them, and next to it its deviation from uniformity.
void add_ecdf_plots(Figure& figure, const Metrics& metrics, const EvaluationRow& row,
                    const std::vector<const std::vector<double>*>& ranks, const std::vector<std::string>& names,
                    const std::string& title, const char* x_label, const char* y_label) {
  const UniformEcdf ecdf(row.sets, row.samples);
  const UniformEcdf::Band band = ecdf.band(kBandLevel);
  for (const bool difference : {false, true}) {
    Plot plot;
    plot.title = difference ? "less the diagonal" : title;
    plot.x = {x_label, AxisScale::linear, 0, 1};
    plot.y = {difference ? "difference" : y_label};
    if (!difference) plot.y = {y_label, AxisScale::linear, 0, 1};
    plot.lines.push_back(band_line(ecdf, band, difference));
    for (std::size_t t = 0; t < ranks.size(); ++t) {
      Line line = with_ends(ecdf.expected(), ecdf.shares(*ranks[t]), difference);
      line.name = names[t];
      line.role = role_of_run(metrics);
      plot.lines.push_back(std::move(line));
    }
    plot.legend = figure.plots.empty();
    figure.plots.push_back(std::move(plot));
  }
  figure.columns = 2;
  figure.plot_width = 260;
  figure.plot_height = 200;
}

bool is_ranked(const EvaluationRow& row) {
  return !row.ranks.empty() && row.sets >= 20 && row.samples > 0;
}
bool has_distances(const EvaluationRow& row) {
  return is_ranked(row) && row.distance_ranks.size() == static_cast<std::size_t>(row.sets);
}
bool has_truths(const EvaluationRow& row) {
  return is_ranked(row) && row.truths.size() == row.ranks.size() && row.means.size() == row.ranks.size();
}
bool has_means(const EvaluationRow& row) {
  return is_ranked(row) && row.sets >= 40 && row.means.size() == row.ranks.size();
}

// y = x, or y = 0, over a range.
Line rule_line(const char* name, double low, double high, bool diagonal) {
  Line line;
  line.name = name;
  line.role = SeriesRole::exact;
  line.style = LineStyle::dashed;
  line.x = {low, high};
  line.y = diagonal ? line.x : std::vector<double>{0, 0};
  return line;
}

}  // namespace

Figure ecdf_figure(const Metrics& metrics, const std::vector<std::string>& targets) {
  check_figure_suits({metrics}, "ecdf");
  const auto rows = rows_with(metrics, 4, "ranks", is_ranked);
  Figure figure = empty_figure(metrics, "Distribution function of the truth's rank", rows.size());
  for (const EvaluationRow* row : rows) {
    std::vector<const std::vector<double>*> ranks;
    std::vector<std::string> names;
    double least = 1;
    for (std::size_t t = 0; t < row->ranks.size(); ++t) {
      ranks.push_back(&row->ranks[t]);
      names.push_back(target_name(targets, t));
      if (row->rank_tests[t].ecdf_p < least) least = row->rank_tests[t].ecdf_p;
    }
    add_ecdf_plots(figure, metrics, *row, ranks, names,
                   fmt::format("N = {}: {}{}", count_text(row->n), ranks.size() > 1 ? "least " : "", p_words(least)),
                   "rank", "share of truths below");
  }
  return figure;
}

Figure tarp_figure(const Metrics& metrics) {
  check_figure_suits({metrics}, "tarp");
  const auto rows = rows_with(metrics, 4, "distances from random points", has_distances);
  Figure figure = empty_figure(metrics, "TARP: credible regions about random points", rows.size());
  for (const EvaluationRow* row : rows)
    add_ecdf_plots(figure, metrics, *row, {&row->distance_ranks}, {strategy_title(metrics.strategy)},
                   fmt::format("N = {}: {} off at most; {}", count_text(row->n), number_text(row->score("tarp"), 3),
                               p_words(row->score("tarp_p"))),
                   "credibility", "share of truths inside");
  return figure;
}

Figure c2st_figure(const std::vector<Metrics>& metrics) {
  check_figure_suits(metrics, "c2st");
  Figure figure = against_n(metrics, "Classifier two-sample test (C2ST)", "accuracy of a classifier");
  Plot& plot = figure.plots.front();
  plot.lines = metric_lines(metrics, score_named("c2st"));
  PAIRS_CHECK(
      !plot.lines.empty(),
      "{} was evaluated without the two-sample test, which needs 100 sets and enough samples; evaluate it again "
      "with more",
      metrics.front().run);
  Line noise;
  noise.name = "noise, 95 %";
  noise.role = SeriesRole::exact;
  noise.style = LineStyle::dashed;
  for (const EvaluationRow& row : metrics.front().rows) {
    if (std::isnan(row.score("c2st_se"))) continue;
    noise.x.push_back(static_cast<double>(row.n));
    noise.y.push_back(0.5);
    noise.lower.push_back(0.5);
    noise.upper.push_back(0.5 + 1.645 * row.score("c2st_se"));
  }
  if (!noise.x.empty()) plot.lines.push_back(std::move(noise));
  return figure;
}

Figure recovery_figure(const Metrics& metrics, const std::vector<std::string>& targets) {
  check_figure_suits({metrics}, "recovery");
  const auto rows = rows_with(metrics, 3, "the truths of its sets", has_truths);
  Figure figure = empty_figure(metrics, "Posterior mean ± sd against the truth", rows.size());
  const std::size_t drawn = std::min(kMostDrawnSets, rows.front()->truths.front().size());
  figure.source += fmt::format("; the first {} sets", drawn);
  for (const EvaluationRow* row : rows)
    for (std::size_t t = 0; t < row->truths.size(); ++t) {
      Plot plot;
      plot.title = fmt::format("N = {}, {}", count_text(row->n), target_name(targets, t));
      plot.x = {"truth"};
      plot.y = {"posterior mean ± sd"};
      Line bars;
      bars.name = "± sd";
      bars.role = role_of_run(metrics);
      Scatter dots;
      dots.name = "mean";
      dots.role = role_of_run(metrics);
      const std::size_t count = std::min(kMostDrawnSets, row->truths[t].size());
      for (std::size_t i = 0; i < count; ++i) {
        const double at = row->truths[t][i], mean = row->means[t][i], sd = row->sds[t][i];
        bars.x.insert(bars.x.end(), {at, at, NAN});
        bars.y.insert(bars.y.end(), {mean - sd, mean + sd, NAN});
        dots.x.push_back(at);
        dots.y.push_back(mean);
      }
      const auto [low, high] = std::minmax_element(dots.x.begin(), dots.x.end());
      plot.lines.push_back(std::move(bars));
      plot.lines.push_back(rule_line("mean = truth", *low, *high, true));
      plot.scatters.push_back(std::move(dots));
      plot.legend = figure.plots.empty();
      figure.plots.push_back(std::move(plot));
    }
  figure.columns = static_cast<std::int64_t>(std::clamp<std::size_t>(rows.front()->truths.size(), 2, 3));
  figure.plot_width = 250;
  figure.plot_height = 220;
  return figure;
}

Figure contraction_figure(const Metrics& metrics, const std::vector<std::string>& targets) {
  check_figure_suits({metrics}, "contraction");
  const auto rows = rows_with(metrics, 3, "the truths of its sets", has_truths);
  Figure figure = empty_figure(metrics, "Error in posterior sds against the posterior's contraction", rows.size());
  figure.source += "; the hundredth of sets with the least contraction is left out";
  for (const EvaluationRow* row : rows)
    for (std::size_t t = 0; t < row->truths.size(); ++t) {
      const double prior = mean_and_spread(row->truths[t]).sd;
      std::vector<double> z, contraction;
      for (std::size_t i = 0; i < row->truths[t].size(); ++i) {
        const double sd = row->sds[t][i];
        z.push_back((row->means[t][i] - row->truths[t][i]) / sd);
        contraction.push_back(1 - sd * sd / (prior * prior));
      }
      Plot plot;
      plot.title = fmt::format("N = {}, {}: contraction {}, z {} ± {}", count_text(row->n), target_name(targets, t),
                               number_text(mean_and_error(contraction).mean, 2), number_text(mean_and_error(z).mean, 2),
                               number_text(mean_and_spread(z).sd, 2));
      const auto least = std::min_element(contraction.begin(), contraction.end());
      std::vector<double> sorted = contraction;
      std::sort(sorted.begin(), sorted.end());
      // A few uninformative sets must not compress the others.
      const double low = sorted[sorted.size() / 100], high = sorted.back(), room = 0.05 * (high - low);
      plot.x = {"contraction 1 − sd² / prior's variance"};
      if (high > low && *least < low) {
        plot.x.low = low;
        plot.x.high = high + room;
      }
      plot.y = {"z = (mean − truth) / sd"};
      Scatter dots;
      dots.role = role_of_run(metrics);
      const std::size_t count = std::min(kMostDots, z.size());
      dots.x.assign(contraction.begin(), contraction.begin() + static_cast<std::ptrdiff_t>(count));
      dots.y.assign(z.begin(), z.begin() + static_cast<std::ptrdiff_t>(count));
      plot.scatters.push_back(std::move(dots));
      plot.bands.push_back({"−2 to 2", -2, 2});
      plot.legend = figure.plots.empty();
      figure.plots.push_back(std::move(plot));
    }
  figure.columns = 2;
  figure.plot_width = 300;
  figure.plot_height = 200;
  return figure;
}

namespace {

// The coverage at one level, with that of a calibrated posterior.
void add_region_lines(Plot& plot, const Metrics& metrics, const std::vector<Region>& all, std::int64_t samples,
                      std::size_t level) {
  const double share = central_coverage_of_uniform(samples, kIntervalLevels[level]);
  Line line, expected;
  for (const Region& one : all) {
    const auto sets = static_cast<double>(one.sets);
    const double margin = 1.96 * std::sqrt(share * (1 - share) / sets);
    line.x.push_back(one.middle);
    line.y.push_back(static_cast<double>(one.inside[level]) / sets);
    expected.x.push_back(one.middle);
    expected.y.push_back(share);
    expected.lower.push_back(share - margin);
    expected.upper.push_back(std::min(1.0, share + margin));
  }
  line.name = "intervals of 50 and 90 %";
  line.role = role_of_run(metrics);
  line.markers = true;
  expected.name = kBandName;
  expected.role = SeriesRole::exact;
  expected.style = LineStyle::dashed;
  if (level > 0) line.name = expected.name = "";
  plot.lines.push_back(std::move(expected));
  plot.lines.push_back(std::move(line));
}

// White at 0, orange above and blue below, full at ±3.
void put_color(double z, std::uint8_t* rgb) {
  const double strength = std::min(1.0, std::fabs(z) / 3);
  const std::uint32_t full = z > 0 ? 0xE69F00 : 0x0072B2;
  for (int c = 0; c < 3; ++c) {
    const double end = (full >> (16 - 8 * c)) & 0xff;
    rgb[c] = static_cast<std::uint8_t>(std::lround(255 + strength * (end - 255)));
  }
}

// Bounds of the central 96 % of values.
std::pair<double, double> middle_range(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t skip = values.size() / 50;
  return {values[skip], values[values.size() - 1 - skip]};
}

// Over the posterior means of the first two targets: the deviation, in standard errors, of the truths in TARP's 90 %
// regions (above zero: too many).
Plot region_map(const EvaluationRow& row, const std::vector<std::string>& targets) {
  const auto [x0, x1] = middle_range(row.means[0]);
  const auto [y0, y1] = middle_range(row.means[1]);
  std::vector<double> sets(kMapCells * kMapCells), inside(sets.size());
  const auto cell = [](double value, double low, double high) {
    return static_cast<std::size_t>(
        std::clamp((value - low) / (high - low) * kMapCells, 0.0, static_cast<double>(kMapCells) - 1));
  };
  for (std::size_t i = 0; i < row.distance_ranks.size(); ++i) {
    if (row.means[0][i] < x0 || row.means[0][i] > x1 || row.means[1][i] < y0 || row.means[1][i] > y1) continue;
    const std::size_t at = (kMapCells - 1 - cell(row.means[1][i], y0, y1)) * kMapCells + cell(row.means[0][i], x0, x1);
    ++sets[at];
    inside[at] += row.distance_ranks[i] < kIntervalLevels[1];
  }
  const auto values = static_cast<double>(row.samples + 1);
  const double share = std::ceil(kIntervalLevels[1] * static_cast<double>(row.samples) - 1e-9) / values;
  Plot plot;
  plot.title = fmt::format("N = {}: too many inside (orange), too few (blue)", count_text(row.n));
  plot.x = {"mean of " + target_name(targets, 0), AxisScale::linear, x0, x1};
  plot.y = {"mean of " + target_name(targets, 1), AxisScale::linear, y0, y1};
  Picture picture{kMapCells, kMapCells, std::vector<std::uint8_t>(3 * sets.size(), 0xd8), x0, y0, x1, y1};
  for (std::size_t k = 0; k < sets.size(); ++k)
    if (sets[k] >= static_cast<double>(kFewestInCell))
      put_color((inside[k] - sets[k] * share) / std::sqrt(sets[k] * share * (1 - share)), &picture.rgb[3 * k]);
  plot.pictures.push_back(std::move(picture));
  return plot;
}

}  // namespace

Figure regions_figure(const Metrics& metrics, const std::vector<std::string>& targets) {
  check_figure_suits({metrics}, "regions");
  const auto rows = rows_with(metrics, 3, "posterior means of 40 sets or more", has_means);
  Figure figure = empty_figure(metrics, "Coverage by what the posterior mean is", rows.size());
  for (const EvaluationRow* row : rows) {
    for (std::size_t t = 0; t < row->ranks.size(); ++t) {
      const std::vector<Region> all = regions(row->means[t], row->ranks[t], row->samples);
      const RegionTest test = region_test({all});
      Plot plot;
      plot.title = fmt::format("N = {}, {}: {} of {} off (chance: {}); {}", count_text(row->n), target_name(targets, t),
                               test.off, all.size(), number_text(0.0975 * static_cast<double>(all.size()), 1),
                               p_words(test.p_value));
      plot.x = {"posterior mean"};
      plot.y = {"share of truths inside", AxisScale::linear, 0, 1};
      for (std::size_t level = 0; level < kIntervalLevels.size(); ++level)
        add_region_lines(plot, metrics, all, row->samples, level);
      plot.legend = figure.plots.empty();
      figure.plots.push_back(std::move(plot));
    }
    if (row->ranks.size() >= 2 && has_distances(*row)) figure.plots.push_back(region_map(*row, targets));
  }
  figure.source += "; off: beyond 5 % at one level or both, as about one in ten is by chance";
  if (rows.front()->ranks.size() >= 2)
    figure.source += "; maps: regions of 90 % about random points, full colors at 3 s.e., gray below 10 sets";
  figure.columns = rows.front()->ranks.size() == 2 ? 3 : 2;
  figure.plot_width = 300;
  figure.plot_height = 220;
  return figure;
}

}  // namespace pairs
