#include "app/studies/study_pareto.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "app/runs/strategy_look.h"
#include "app/scores/cost_figure.h"
#include "core/base/text/error.h"
#include "core/report/number_text.h"
#include "core/report/shades.h"
#include "core/train/run/cost.h"
#include "core/train/stages/plan.h"

namespace pairs {
namespace {

// GFLOP of one run, with or without stage 2; as planned if it is not done.
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

// The deficit to PAIRS at the largest shared N, in units of the deficit of N = 1; NaN if either is missing.
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

}  // namespace

StudyDrawing draw_pareto(const StudyResults& results, const std::function<bool()>& keep_going) {
  const std::size_t tasks = done_tasks(results).size();
  const std::vector<SeedGroup> groups = results.groups();
  StudyDrawing drawing{"pareto", {}};
  drawing.figure.title = "Cost and quality against PAIRS: to the right costlier, upwards worse";
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
    // Its legend is above it, for any length.
    drawing.figure.plot_height =
        std::max(drawing.figure.plot_height, 240 + 18.0 * static_cast<double>(plot.lines.size()));
    drawing.figure.plots.push_back(std::move(plot));
  }
  return drawing;
}

}  // namespace pairs
