#include "app/scores/cost_figure.h"

#include <fmt/format.h>

#include <cmath>

#include "app/runs/strategy_look.h"
#include "core/base/text/error.h"
#include "core/report/shades.h"

namespace pairs {

Figure pareto_figure(const std::vector<ParetoPoint>& points) {
  PAIRS_CHECK(!points.empty(), "The figure pareto needs at least one run with a training record");
  Figure figure;
  figure.title = fmt::format("Training cost against quality at N = {}", points.front().n);
  figure.columns = 2;
  for (const bool with_cache : {false, true}) {
    Plot plot;
    plot.title = with_cache ? "stage 2 counted" : "the paper's rule";
    plot.x = {"training cost / GFLOP", AxisScale::log};
    plot.y = {points.front().axis};
    for (const ParetoPoint& point : points) {
      Line line;
      line.name = point.name;
      line.role = shaded(strategy_role(point.strategy), point.shade);
      line.markers = true;
      line.x = {with_cache ? point.gflop_with_cache : point.gflop};
      line.y = {point.score};
      Line error = line;  // two standard errors to either side
      error.markers = false;
      error.x = {line.x[0], line.x[0]};
      error.y = {point.score - 2 * point.score_se, point.score + 2 * point.score_se};
      plot.lines.push_back(std::move(line));
      if (!std::isnan(point.score_se)) plot.lines.push_back(std::move(error));
    }
    plot.legend = !with_cache;
    figure.plots.push_back(std::move(plot));
  }
  for (const ParetoPoint& point : points) figure.source += (figure.source.empty() ? "" : ", ") + point.name;
  return figure;
}

}  // namespace pairs
