#include "app/studies/study_score_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "app/runs/strategy_look.h"
#include "app/scores/score_figures.h"
#include "app/scores/scoring.h"
#include "core/base/fields/fields.h"
#include "core/base/text/error.h"
#include "core/report/number_text.h"
#include "core/report/shades.h"

namespace pairs {
namespace {

// Means over seeds with a band of one sd (one seed: two standard errors).
Line mean_line(const SeedGroup& group, SeriesRole role, const Score& score) {
  Line line;
  line.name = group.title();
  if (group.done() > 1) line.name += fmt::format(" ({} seeds)", group.done());
  line.role = role;
  line.markers = true;
  bool hollow = false;
  for (const SeedMean& mean : seed_means(group, score)) {
    const double margin = mean.seeds > 1 ? mean.sd : std::isnan(mean.se) ? 0 : 2 * mean.se;
    line.x.push_back(static_cast<double>(mean.n));
    line.y.push_back(mean.mean);
    line.lower.push_back(mean.mean - margin);
    line.upper.push_back(mean.mean + margin);
    line.hollow.push_back(mean.extrapolation);
    hollow |= mean.extrapolation;
  }
  if (!hollow) line.hollow.clear();
  return line;
}

// The exact posterior's NLL on the sets of a task's runs, if known.
void add_exact(const std::vector<SeedGroup>& groups, Plot& plot) {
  std::map<std::int64_t, double> exact;
  for (const SeedGroup& group : groups)
    for (const StudyResult* one : group.runs)
      if (one->metrics)
        for (const EvaluationRow& row : one->metrics->rows)
          if (!std::isnan(row.exact_on_sets())) exact[row.n] = row.exact_on_sets();
  if (exact.empty()) return;
  Line line;
  line.name = "exact";
  line.role = SeriesRole::exact;
  line.style = LineStyle::dashed;
  for (const auto& [n, value] : exact) {
    line.x.push_back(static_cast<double>(n));
    line.y.push_back(value);
  }
  plot.lines.push_back(std::move(line));
}

Plot score_plot(const StudyResults& results, const std::string& task, const Score& score) {
  const std::vector<SeedGroup> groups = done_groups(results, task);
  const std::vector<SeriesRole> roles = roles_of(groups);
  Plot plot;
  plot.title = results.task_title(task);
  plot.x = {"set size N", AxisScale::log};
  plot.y = {score.heading(), score.figure.scale};
  for (std::size_t k = 0; k < groups.size(); ++k)
    if (Line line = mean_line(groups[k], roles[k], score); !line.x.empty()) plot.lines.push_back(std::move(line));
  if (score.key == "nll") add_exact(groups, plot);
  return plot;
}

// One row per score, one column per task.
Figure score_grid(const StudyResults& results, const std::string& title, const std::vector<const Score*>& rows) {
  const std::vector<std::string> tasks = done_tasks(results);
  Figure figure;
  figure.title = title;
  figure.source = source_of(results);
  figure.columns = static_cast<std::int64_t>(tasks.size());
  for (const Score* score : rows)
    for (const std::string& task : tasks) {
      Plot plot = score_plot(results, task, *score);
      plot.legend = score == rows.front();
      plot.blank = plot.lines.empty();
      figure.plots.push_back(std::move(plot));
    }
  return figure;
}

// The scores of the study's kinds of target: for parameters NLL and RMAE, for images the squared error.
std::vector<const Score*> headline_scores(const StudyResults& results) {
  std::vector<const Score*> scores;
  const auto add = [&](const Score& score) {
    if (std::find(scores.begin(), scores.end(), &score) == scores.end()) scores.push_back(&score);
  };
  for (const SeedGroup& group : done_groups(results)) {
    const std::vector<EvaluationRow>& rows = metrics_of(group).rows;
    add(score_of(rows));
    if (scoring_of(rows).compares_means()) add(score_named("rmae"));
  }
  return scores;
}

std::string difference_text(const SeedDifference& difference, const Score& score) {
  return fmt::format("{}{} ± {}{} at N = {} ({}, {} sets)", difference.mean >= 0 ? "+" : "",
                     number_text(difference.mean, score.digits + 1), number_text(difference.se, score.digits + 1),
                     score.unit.empty() ? "" : " " + score.unit, count_text(difference.n),
                     difference.seeds == 1 ? std::string("1 seed") : fmt::format("{} seeds", difference.seeds),
                     count_text(difference.sets));
}

// The value of a group's varied setting as a number; NaN if it is none.
double number_of(const SeedGroup& group, const std::string& key) {
  for (const std::string& one : group.varied) {
    if (assigned_key(one) != key) continue;
    const std::string text = one.substr(key.size() + 1);
    std::size_t read = 0;
    try {
      const double value = std::stod(text, &read);
      if (read == text.size()) return value;
    } catch (const std::logic_error&) {
    }
  }
  return NAN;
}

// The varied settings that are numbers.
std::vector<std::string> varied_numbers(const std::vector<SeedGroup>& groups) {
  std::vector<std::string> keys;
  for (const SeedGroup& group : groups)
    for (const std::string& one : group.varied)
      if (const std::string key = assigned_key(one);
          !std::isnan(number_of(group, key)) && std::find(keys.begin(), keys.end(), key) == keys.end())
        keys.push_back(key);
  return keys;
}

// A score at one N against a varied setting: one line for each strategy and combination of the other settings.
Plot sweep_plot(const StudyResults& results, const std::string& task, const std::string& key, const Score& score,
                std::int64_t n) {
  Plot plot;
  plot.title = fmt::format("{}, N = {}", results.task_title(task), count_text(n));
  plot.x = {key, AxisScale::log};
  plot.y = {score.heading()};
  std::map<std::string, std::map<double, SeedMean>> curves;
  std::map<std::string, SeriesRole> roles;
  std::map<std::string, int> used;
  for (const SeedGroup& group : done_groups(results, task)) {
    const double value = number_of(group, key);
    if (std::isnan(value)) continue;
    SeedGroup others = group;
    std::erase_if(others.varied, [&](const std::string& one) { return assigned_key(one) == key; });
    const std::string name = others.title();
    if (!roles.contains(name)) roles[name] = shaded(strategy_role(group.strategy), used[group.strategy]++);
    for (const SeedMean& mean : seed_means(group, score))
      if (mean.n == n) curves[name][value] = mean;
    if (!(value > 0)) plot.x.scale = AxisScale::linear;
  }
  for (const auto& [name, points] : curves) {
    Line line;
    line.name = name;
    line.role = roles[name];
    line.markers = true;
    for (const auto& [value, mean] : points) {
      const double margin = mean.seeds > 1 ? mean.sd : std::isnan(mean.se) ? 0 : 2 * mean.se;
      line.x.push_back(value);
      line.y.push_back(mean.mean);
      line.lower.push_back(mean.mean - margin);
      line.upper.push_back(mean.mean + margin);
    }
    plot.lines.push_back(std::move(line));
  }
  return plot;
}

// Notes where each curve of a sweep is best (lower is better).
void add_best(const Plot& plot, const Score& score, std::vector<std::string>& notes) {
  for (const Line& line : plot.lines) {
    const auto best = static_cast<std::size_t>(std::min_element(line.y.begin(), line.y.end()) - line.y.begin());
    notes.push_back(fmt::format("{}, {}: {} is least, {}, at {} = {}", plot.title, line.name, score.title,
                                number_text(line.y[best], score.digits), plot.x.label, number_text(line.x[best], 6)));
  }
}

}  // namespace

StudyDrawing draw_scores(const StudyResults& results, const std::function<bool()>&) {
  done_tasks(results);
  StudyDrawing drawing{
      "scores", score_grid(results, "Scores against set size; bands: ± 1 sd over seeds", headline_scores(results))};
  for (const SeedGroup& group : done_groups(results)) {
    const Score& score = score_of(metrics_of(group).rows);
    const std::vector<SeedMean> means = seed_means(group, score);
    if (means.empty()) continue;
    const SeedMean& last = means.back();
    const double error = last.seeds > 1 ? last.sd : last.se;
    drawing.notes.push_back(fmt::format("{}, {}: {} {} ± {} at N = {} ({})", results.task_title(group.task),
                                        group.title(), score.title, number_text(last.mean, score.digits),
                                        number_text(error, score.digits), count_text(last.n),
                                        last.seeds > 1 ? fmt::format("sd of {} seeds", last.seeds) : "standard error"));
  }
  return drawing;
}

StudyDrawing draw_acauc(const StudyResults& results, const std::function<bool()>&) {
  StudyDrawing drawing{"acauc",
                       score_grid(results, "Calibration; 0: calibrated, .5: constant", {&score_named("acauc")})};
  const std::vector<std::string> tasks = done_tasks(results);
  for (std::size_t k = 0; k < tasks.size(); ++k) {
    std::map<std::int64_t, double> floor;
    for (const SeedGroup& group : done_groups(results, tasks[k]))
      for (const EvaluationRow& row : metrics_of(group).rows)
        if (!std::isnan(row.acauc_p95)) floor[row.n] = std::max(floor[row.n], row.acauc_p95);
    if (floor.empty()) continue;
    Line line;
    line.name = "noise of one run, 95 %";
    line.role = SeriesRole::exact;
    line.style = LineStyle::dashed;
    for (const auto& [n, p95] : floor) {
      line.x.push_back(static_cast<double>(n));
      line.y.push_back(p95);
    }
    drawing.figure.plots[k].lines.push_back(std::move(line));
    drawing.figure.plots[k].legend = true;
  }
  for (const SeedGroup& group : done_groups(results)) {
    const std::vector<SeedMean> means = seed_means(group, score_named("acauc"));
    if (means.empty()) continue;
    drawing.notes.push_back(fmt::format("{}, {}: ACAUC {} at N = {}", results.task_title(group.task), group.title(),
                                        number_text(means.back().mean, 4), count_text(means.back().n)));
  }
  return drawing;
}

StudyDrawing draw_gap(const StudyResults& results, const std::function<bool()>&) {
  StudyDrawing drawing{
      "gap", score_grid(results, "Lost to the exact posterior; bands: ± 1 sd over seeds", {&score_named("gap")})};
  for (const SeedGroup& group : done_groups(results)) {
    const std::vector<SeedMean> means = seed_means(group, score_named("gap"));
    if (means.empty()) continue;
    drawing.notes.push_back(fmt::format("{}, {}: {} nat at N = {}", results.task_title(group.task), group.title(),
                                        number_text(means.back().mean, 4), count_text(means.back().n)));
  }
  return drawing;
}

StudyDrawing draw_differences(const StudyResults& results, const std::function<bool()>&) {
  const std::vector<std::string> tasks = done_tasks(results);
  StudyDrawing drawing{"differences", {}};
  drawing.figure.title = "Score less that of PAIRS on the same test sets; bands: ± 2 standard errors";
  drawing.figure.source = source_of(results);
  drawing.figure.columns = static_cast<std::int64_t>(tasks.size());
  for (const std::string& task : tasks) {
    const std::vector<SeedGroup> groups = done_groups(results, task);
    const std::vector<SeriesRole> roles = roles_of(groups);
    const Score& score = score_of(metrics_of(groups.front()).rows);
    Plot plot;
    plot.title = results.task_title(task);
    plot.x = {"set size N", AxisScale::log};
    plot.y = {fmt::format("{} − PAIRS", score.heading())};
    for (std::size_t k = 0; k < groups.size(); ++k) {
      const SeedGroup* baseline = baseline_of(groups[k], groups, "pairs");
      if (!baseline || baseline == &groups[k]) continue;
      Line line;
      line.name = groups[k].title();
      line.role = roles[k];
      line.markers = true;
      const std::vector<SeedDifference> differences = seed_differences(groups[k], *baseline);
      for (const SeedDifference& one : differences) {
        line.x.push_back(static_cast<double>(one.n));
        line.y.push_back(one.mean);
        line.lower.push_back(one.mean - 2 * one.se);
        line.upper.push_back(one.mean + 2 * one.se);
      }
      if (differences.empty()) continue;
      drawing.notes.push_back(fmt::format("{}, {} − PAIRS: {} {}", plot.title, groups[k].title(), score.title,
                                          difference_text(differences.back(), score)));
      plot.lines.push_back(std::move(line));
    }
    plot.blank = plot.lines.empty();
    drawing.figure.plots.push_back(std::move(plot));
  }
  return drawing;
}

StudyDrawing draw_sweep(const StudyResults& results, const std::function<bool()>&) {
  const std::vector<std::string> tasks = done_tasks(results);
  const std::vector<std::string> keys = varied_numbers(done_groups(results));
  if (keys.empty()) fail_usage("The figure sweep is of studies that vary a number; {} varies none", results.study.name);
  StudyDrawing drawing{"sweep", {}};
  drawing.figure.title = "Scores against what the study varies; bands: ± 1 sd over seeds, or 2 standard errors";
  drawing.figure.source = source_of(results);
  drawing.figure.columns = 3;
  for (const std::string& task : tasks)
    for (const std::string& key : keys)
      for (const Score* score : headline_scores(results)) {
        std::set<std::int64_t> sizes;
        for (const SeedGroup& group : done_groups(results, task))
          for (const SeedMean& mean : seed_means(group, *score)) sizes.insert(mean.n);
        if (sizes.empty()) continue;
        // The smallest, a middle one and the largest.
        const std::vector<std::int64_t> all(sizes.begin(), sizes.end());
        for (const std::int64_t n : std::set<std::int64_t>{all.front(), all[all.size() / 2], all.back()})
          drawing.figure.plots.push_back(sweep_plot(results, task, key, *score, n));
        add_best(drawing.figure.plots.back(), *score, drawing.notes);
      }
  return drawing;
}

}  // namespace pairs
