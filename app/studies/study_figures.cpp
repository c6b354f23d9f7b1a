#include "app/studies/study_figures.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "app/posterior/width_figure.h"
#include "app/runs/strategy_look.h"
#include "app/scores/cost_figure.h"
#include "app/scores/learnt.h"
#include "app/scores/score_figures.h"
#include "app/scores/scoring.h"
#include "app/studies/study_pictures.h"
#include "core/base/error.h"
#include "core/base/fields.h"
#include "core/base/text.h"
#include "core/report/number_text.h"
#include "core/report/shades.h"
#include "core/train/cost.h"
#include "core/train/plan.h"

namespace pairs {
namespace {

using Going = std::function<bool()>;

// Groups of which something is done, of one task ("": all).
std::vector<SeedGroup> done_groups(const StudyResults& results, const std::string& task = "") {
  std::vector<SeedGroup> groups = results.groups();
  std::erase_if(groups,
                [&](const SeedGroup& group) { return group.done() == 0 || (!task.empty() && group.task != task); });
  return groups;
}

// Tasks of which something is done.
std::vector<std::string> done_tasks(const StudyResults& results) {
  std::vector<std::string> tasks = results.task_names();
  std::erase_if(tasks, [&](const std::string& task) { return done_groups(results, task).empty(); });
  PAIRS_CHECK(!tasks.empty(), "No run of the study {} is done yet; run the study first", results.study.name);
  return tasks;
}

// The colours of a task's groups: of one strategy different shades.
std::vector<SeriesRole> roles_of(const std::vector<SeedGroup>& groups) {
  std::map<std::string, int> used;
  std::vector<SeriesRole> roles;
  for (const SeedGroup& group : groups) roles.push_back(shaded(strategy_role(group.strategy), used[group.strategy]++));
  return roles;
}

const Metrics& metrics_of(const SeedGroup& group) {
  for (const StudyResult* one : group.runs)
    if (one->metrics) return *one->metrics;
  fail("{} has no run that is done", group.title());
}

// What is missing, and what learnt nothing.
std::vector<std::string> notes_on(const StudyResults& results) {
  std::vector<std::string> notes;
  for (const SeedGroup& group : results.groups()) {
    const auto trained = static_cast<std::size_t>(
        std::count_if(group.runs.begin(), group.runs.end(), [](const StudyResult* one) { return one->run.trained; }));
    for (const StudyResult* one : group.runs)
      if (!one->problem.empty()) notes.push_back(fmt::format("{} is left out: {}", one->run.name, one->problem));
    if (group.done() < trained)
      notes.push_back(fmt::format("{}, {}: {} of {} seeds are done", results.task_title(group.task), group.title(),
                                  group.done(), trained));
    for (const StudyResult* one : group.runs)
      if (one->metrics && learnt_nothing(one->metrics->rows))
        notes.push_back(fmt::format("{} learnt nothing: its answers are the prior", one->run.name));
  }
  return notes;
}

std::string source_of(const StudyResults& results) {
  std::set<std::string> data;
  std::size_t runs = 0;
  for (const StudyResult& one : results.results)
    if (one.metrics) {
      data.insert(one.metrics->data);
      ++runs;
    }
  std::string text;
  for (const std::string& one : data) text += (text.empty() ? "" : ", ") + one;
  return fmt::format("{}; study {}, {} runs", text, results.study.name, runs);
}

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

// The exact posterior's NLL on the sets of a task's runs, where it is known.
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

// One row a score, one column a task.
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

// The scores of the kinds of target that the study has: of parameters NLL and RMAE, of images the squared error.
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

StudyDrawing draw_scores(const StudyResults& results, const Going&) {
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

StudyDrawing draw_acauc(const StudyResults& results, const Going&) {
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
  return drawing;
}

StudyDrawing draw_gap(const StudyResults& results, const Going&) {
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

// With what a group is compared: the same task and varied settings with this strategy; where it does not read what the
// others vary, the first of them that has what it has.
const SeedGroup* baseline_of(const SeedGroup& group, const std::vector<SeedGroup>& groups,
                             const std::string& strategy) {
  const SeedGroup* found = nullptr;
  for (const SeedGroup& other : groups) {
    const bool beside = other.task == group.task && other.strategy == strategy &&
                        other.runs.front()->folder.parent_path() == group.runs.front()->folder.parent_path();
    if (beside && other.varied == group.varied) return &other;
    const bool holds = std::all_of(group.varied.begin(), group.varied.end(), [&](const std::string& one) {
      return std::find(other.varied.begin(), other.varied.end(), one) != other.varied.end();
    });
    if (beside && holds && !found) found = &other;
  }
  return found;
}

std::string difference_text(const SeedDifference& difference, const Score& score) {
  return fmt::format("{}{} ± {}{} at N = {} ({}, {} sets)", difference.mean >= 0 ? "+" : "",
                     number_text(difference.mean, score.digits + 1), number_text(difference.se, score.digits + 1),
                     score.unit.empty() ? "" : " " + score.unit, count_text(difference.n),
                     difference.seeds == 1 ? std::string("1 seed") : fmt::format("{} seeds", difference.seeds),
                     count_text(difference.sets));
}

StudyDrawing draw_differences(const StudyResults& results, const Going&) {
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

// GFLOP of one run, stage 2 left out or counted; of one that is not done as planned.
struct GroupCost {
  double paper = 0, with_cache = 0;
};
GroupCost cost_of_group(const StudyResults& results, const SeedGroup& group) {
  for (const StudyResult* one : group.runs) {
    if (!one->metrics) continue;
    const RunCost cost = cost_of(load_run(results.tasks, one->folder.string(), "", "cpu"));
    PAIRS_CHECK(cost.known, "What {} cost is not known: {}", one->run.name, cost.missing);
    return {cost.cost.paper(), cost.cost.with_cache()};
  }
  GroupCost planned;
  const RunConfig& config = group.runs.front()->run.config;
  for (const StagePlan& stage : stage_plans(config, config.make_task())) {
    planned.with_cache += stage.gflop;
    if (stage.stage != Stage::cache) planned.paper += stage.gflop;
  }
  return planned;
}

// How much worse than PAIRS at the largest N that both have, in units of what N = 1 is worse; NaN without one of these.
double relative_gap(const SeedGroup& group, const std::vector<SeedGroup>& groups) {
  const SeedGroup *pairs = baseline_of(group, groups, "pairs"), *one = baseline_of(group, groups, "n1");
  if (!pairs || !one || group.done() == 0 || pairs->done() == 0 || one->done() == 0) return NAN;
  if (pairs == &group) return 0;
  const std::vector<SeedDifference> differences = seed_differences(group, *pairs),
                                    scale = seed_differences(*one, *pairs);
  for (auto at = differences.rbegin(); at != differences.rend(); ++at)
    for (const SeedDifference& unit : scale)
      if (unit.n == at->n && unit.mean != 0) return at->mean / std::fabs(unit.mean);
  return NAN;
}

Line mark(const std::string& name, SeriesRole role, double x, double y, bool hollow) {
  Line line;
  line.name = name;
  line.role = role;
  line.markers = true;
  line.x = {x};
  line.y = {y};
  if (hollow) line.hollow = {true};
  return line;
}

StudyDrawing draw_pareto(const StudyResults& results, const Going& keep_going) {
  const std::size_t tasks = done_tasks(results).size();
  const std::vector<SeedGroup> groups = results.groups();
  StudyDrawing drawing{"pareto", {}};
  drawing.figure.title = "Cost and quality beside PAIRS: to the right costlier, upwards worse";
  drawing.figure.source = source_of(results) + "; hollow: cost as planned, not trained";
  drawing.figure.columns = 2;
  std::map<std::string, int> used;
  std::map<const SeedGroup*, GroupCost> costs;
  for (const SeedGroup& group : groups) {
    if (!keep_going()) throw Stopped();
    if (baseline_of(group, groups, "pairs")) costs[&group] = cost_of_group(results, group);
  }
  for (const bool with_cache : {false, true}) {
    Plot plot;
    plot.title = with_cache ? "stage 2 counted" : "the paper's rule";
    plot.x = {"training cost over that of PAIRS", AxisScale::log};
    plot.y = {"(score − PAIRS) / |N = 1 − PAIRS|"};
    plot.legend = !with_cache;
    used.clear();
    for (const SeedGroup& group : groups) {
      const SeedGroup* pairs = baseline_of(group, groups, "pairs");
      if (!pairs) continue;
      const GroupCost &own = costs.at(&group), &base = costs.at(pairs);
      const double cost = with_cache ? own.with_cache / base.with_cache : own.paper / base.paper;
      const double gap = relative_gap(group, groups);
      const SeriesRole role = shaded(strategy_role(group.strategy), used[group.strategy]++);
      const std::string name =
          tasks > 1 ? fmt::format("{}: {}", results.task_title(group.task), group.title()) : group.title();
      const bool planned = group.done() == 0;
      if (std::isnan(gap) && !planned) continue;
      plot.lines.push_back(mark(name, role, cost, planned ? 0 : gap, planned));
      if (!with_cache)
        drawing.notes.push_back(planned
                                    ? fmt::format("{}: {} × the cost of PAIRS, as planned", name, number_text(cost, 2))
                                    : fmt::format("{}: {} × the cost of PAIRS, {} of the gap of N = 1", name,
                                                  number_text(cost, 2), number_text(gap, 2)));
    }
    plot.rules.push_back({"", SeriesRole::truth, 1});
    // Its legend stands above it, however long it is.
    drawing.figure.plot_height =
        std::max(drawing.figure.plot_height, 240 + 18.0 * static_cast<double>(plot.lines.size()));
    drawing.figure.plots.push_back(std::move(plot));
  }
  return drawing;
}

// The value of a group's varied setting as a number; NaN where it is none.
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

// The settings that the study varies and that are numbers.
std::vector<std::string> varied_numbers(const std::vector<SeedGroup>& groups) {
  std::vector<std::string> keys;
  for (const SeedGroup& group : groups)
    for (const std::string& one : group.varied)
      if (const std::string key = assigned_key(one);
          !std::isnan(number_of(group, key)) && std::find(keys.begin(), keys.end(), key) == keys.end())
        keys.push_back(key);
  return keys;
}

// A score at one N against a varied setting: a line for each strategy and choice of the other settings.
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

StudyDrawing draw_sweep(const StudyResults& results, const Going&) {
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
        // The least, a middle one and the largest.
        const std::vector<std::int64_t> all(sizes.begin(), sizes.end());
        for (const std::int64_t n : std::set<std::int64_t>{all.front(), all[all.size() / 2], all.back()})
          drawing.figure.plots.push_back(sweep_plot(results, task, key, *score, n));
      }
  return drawing;
}

// The first run that is done of each group of tasks that have such a figure.
std::vector<LoadedRun> nuisance_runs(const StudyResults& results, const char* figure) {
  std::vector<LoadedRun> runs;
  for (const SeedGroup& group : done_groups(results))
    for (const StudyResult* one : group.runs) {
      if (!one->metrics) continue;
      LoadedRun run = load_run(results.tasks, one->folder.string(), "", "cpu");
      run.name = group.title();
      if (has_width_figure(*run.task)) runs.push_back(std::move(run));
      break;
    }
  if (runs.empty())
    fail_usage(
        "The figure {} is of tasks with one target, one nuisance and references; {} has no such run that is done",
        figure, results.study.name);
  return runs;
}

StudyDrawing nuisance_drawing(const char* name, WidthFigure drawn) {
  StudyDrawing drawing{name, std::move(drawn.figure)};
  if (drawn.mcmc) drawing.notes = drawn.mcmc->lines();
  return drawing;
}

StudyDrawing draw_width(const StudyResults& results, const Going& keep_going) {
  const WidthOptions options = {.mcmc = {.sets = results.study.mcmc_sets}};
  return nuisance_drawing("width", width_figure(nuisance_runs(results, "width"), options, keep_going));
}

StudyDrawing draw_location(const StudyResults& results, const Going& keep_going) {
  const WidthOptions options = {.mcmc = {.sets = results.study.mcmc_sets}};
  return nuisance_drawing("location", location_figure(nuisance_runs(results, "location"), options, keep_going));
}

}  // namespace

const std::vector<StudyFigure>& study_figures() {
  static const std::vector<StudyFigure> all = {
      {"scores", "NLL and RMAE (images: squared error) against N, a column a task", draw_scores},
      {"differences", "Score less that of PAIRS on the same test sets, paired, with errors", draw_differences},
      {"gap", "What is lost to the exact posterior against N", draw_gap},
      {"acauc", "ACAUC against N, with its noise floor", draw_acauc},
      {"pareto", "Training cost over that of PAIRS against the score's gap to it", draw_pareto},
      {"sweep", "Scores against a number that the study varies", draw_sweep},
      {"width", "One target and one nuisance: posterior width against ψ, beside the references", draw_width},
      {"location", "One target and one nuisance: posterior mean and sd against ψ, beside the references",
       draw_location},
      {"theorem", "Known sufficient statistics: 1 − R² on the embeddings while stage 1 trains", draw_theorem},
      {"posteriors", "Each task's posterior of one set as N grows, beside its references", draw_posteriors},
      {"tasks", "A row a task: its prior, sets of observations, the posterior as N grows", draw_tasks},
      {"views", "Images: the truth and samples of the posterior, scenes by N", draw_views},
  };
  return all;
}

void check_study_figures(const Study& study) {
  std::vector<std::string> names;
  for (const StudyFigure& figure : study_figures()) names.push_back(figure.name);
  for (const std::string& name : study.figures) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    const std::string near = nearest(name, names);
    fail_usage(ErrorPlace{study.file.string()}, "there is no study figure \"{}\"{}; figures are {}", printable(name),
               near.empty() ? "" : fmt::format(" (did you mean \"{}\"?)", near), fmt::join(names, ", "));
  }
}

std::vector<StudyDrawing> draw_study(const StudyResults& results, const Going& keep_going) {
  if (results.study.figures.empty())
    fail_usage("{} names no figures; add for example figures = [\"scores\"]", results.study.file.string());
  check_study_figures(results.study);
  std::vector<StudyDrawing> drawings;
  for (const std::string& name : results.study.figures)
    for (const StudyFigure& figure : study_figures())
      if (figure.name == name) drawings.push_back(figure.draw(results, keep_going));
  const std::vector<std::string> notes = notes_on(results);
  if (!drawings.empty()) drawings.front().notes.insert(drawings.front().notes.end(), notes.begin(), notes.end());
  return drawings;
}

}  // namespace pairs
