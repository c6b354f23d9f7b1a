#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "app/common/figures.h"
#include "core/base/error.h"

namespace pairs {
namespace {

double value_of(const Event& event, const char* key) {
  const auto value = event.values.find(key);
  return value != event.values.end() && value->is_number() ? value->get<double>() : std::nan("");
}

}  // namespace

Figure loss_figure(const std::vector<LossCurves>& runs) {
  Figure figure;
  figure.title = "Training and validation loss";
  figure.columns = 2;
  for (const Stage stage : {Stage::pretrain, Stage::finetune}) {
    Plot plot;
    plot.title = stage_name(stage);
    plot.x = {"step"};
    plot.y = {"loss / nat"};
    for (const LossCurves& run : runs) {
      std::map<std::int64_t, std::pair<Line, Line>> by_head;  // one head for each N has curves of its own
      for (const Event& event : run.events) {
        if (event.type != "loss" || event.stage != stage) continue;
        auto& [train, validation] = by_head[event.values.value("n", std::int64_t{0})];
        for (const auto& [line, key] : {std::pair(&train, "train"), std::pair(&validation, "validation")})
          if (const double y = value_of(event, key); std::isfinite(y)) {
            line->x.push_back(static_cast<double>(event.step));
            line->y.push_back(y);
          }
      }
      for (auto& [n, lines] : by_head) {
        const std::string head = (runs.size() > 1 ? run.name + ", " : "") + (n > 0 ? fmt::format("N = {}, ", n) : "");
        lines.first.name = head + "training";
        lines.first.style = LineStyle::dotted;
        lines.second.name = head + "validation";
        for (Line* line : {&lines.first, &lines.second}) {
          line->role = strategy_role(run.strategy);
          line->markers = line->x.size() < 4;
          if (!line->x.empty()) plot.lines.push_back(std::move(*line));
        }
      }
    }
    for (const Line& line : plot.lines) plot.x.high = std::max(plot.x.high, 1.02 * line.x.back());
    if (!plot.lines.empty()) figure.plots.push_back(std::move(plot));
  }
  PAIRS_CHECK(!figure.plots.empty(), "No loss has been recorded yet; train the run first");
  figure.columns = static_cast<std::int64_t>(figure.plots.size());
  for (const LossCurves& run : runs) figure.source += (figure.source.empty() ? "" : ", ") + run.name;
  return figure;
}

Figure pareto_figure(const std::vector<ParetoPoint>& points) {
  PAIRS_CHECK(!points.empty(), "The figure pareto needs at least one run with a training record");
  Figure figure;
  figure.title = fmt::format("Training cost against quality at N = {}", points.front().n);
  figure.columns = 2;
  for (const bool with_cache : {false, true}) {
    Plot plot;
    plot.title = with_cache ? "stage 2 counted" : "the paper's rule";
    plot.x = {"training cost / GFLOP", AxisScale::log};
    plot.y = {"NLL / nat"};
    for (const ParetoPoint& point : points) {
      Line line;
      line.name = point.name;
      line.role = strategy_role(point.strategy);
      line.markers = true;
      line.x = {with_cache ? point.gflop_with_cache : point.gflop};
      line.y = {point.nll};
      line.lower = {point.nll - 2 * point.nll_se};
      line.upper = {point.nll + 2 * point.nll_se};
      plot.lines.push_back(std::move(line));
    }
    plot.legend = !with_cache;
    figure.plots.push_back(std::move(plot));
  }
  for (const ParetoPoint& point : points) figure.source += (figure.source.empty() ? "" : ", ") + point.name;
  return figure;
}

}  // namespace pairs
