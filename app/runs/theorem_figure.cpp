#include "app/runs/theorem_figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "app/runs/strategy_look.h"
#include "core/base/text/error.h"
#include "core/eval/references/sufficiency.h"
#include "core/report/shades.h"

namespace pairs {
namespace {

using Seeds = std::vector<const TheoremCurve*>;

std::vector<Seeds> by_label(const std::vector<TheoremCurve>& runs) {
  std::vector<Seeds> groups;
  for (const TheoremCurve& run : runs) {
    const auto same = std::find_if(groups.begin(), groups.end(),
                                   [&](const Seeds& group) { return group.front()->label == run.label; });
    same == groups.end() ? groups.push_back({&run}) : same->push_back(&run);
  }
  return groups;
}

const std::vector<LossPoint>& status_points(const TheoremCurve& run, std::size_t statistics) {
  const auto& heads = run.progress.losses(Stage::pretrain);
  PAIRS_CHECK(
      !heads.empty() && !heads.begin()->second.empty(),
      "Stage 1 of {} has recorded nothing yet; train it first, or draw the runs that an ensemble is the mean of",
      run.name);
  const std::vector<LossPoint>& points = heads.begin()->second;
  for (const LossPoint& point : points)
    PAIRS_CHECK(point.unexplained.size() == statistics,
                "The log of {} holds no 1 − R² of the task's {} sufficient statistics; train stage 1 anew to record it",
                run.name, statistics);
  return points;
}

// The value of statistic k, or the largest if k is their number.
double value_at(const LossPoint& point, std::size_t k) {
  return k < point.unexplained.size() ? point.unexplained[k] : worst_of(point.unexplained);
}

Line line_of_seeds(const Seeds& seeds, std::size_t statistics, std::size_t k) {
  std::map<std::int64_t, std::vector<double>> by_step;
  for (const TheoremCurve* run : seeds)
    for (const LossPoint& point : status_points(*run, statistics)) by_step[point.step].push_back(value_at(point, k));
  Line line;
  const TheoremCurve& first = *seeds.front();
  line.name = seeds.size() > 1 ? fmt::format("{} ({} seeds)", first.label, seeds.size()) : first.label;
  line.role = shaded(strategy_role(first.strategy), first.shade);
  line.markers = by_step.size() < 4;
  for (const auto& [step, values] : by_step) {
    double sum = 0;
    for (const double value : values) sum += value;
    line.x.push_back(static_cast<double>(step));
    line.y.push_back(sum / static_cast<double>(values.size()));
    if (seeds.size() == 1) continue;
    line.lower.push_back(*std::min_element(values.begin(), values.end()));
    line.upper.push_back(*std::max_element(values.begin(), values.end()));
  }
  return line;
}

}  // namespace

Figure theorem_figure(const std::vector<TheoremCurve>& runs, const std::vector<std::string>& statistics) {
  Figure figure;
  figure.title = "Sufficient statistics: what no affine map of the embedding explains";
  figure.columns = 3;
  const std::vector<Seeds> groups = by_label(runs);
  for (std::size_t i = 0; i <= statistics.size(); ++i) {
    const std::size_t k = i == 0 ? statistics.size() : i - 1;
    Plot plot;
    plot.title = i == 0 ? "largest of all" : statistics[k];
    plot.x.label = "step of stage 1";
    plot.y = {"1 − R²", AxisScale::log};
    plot.legend = i == 0;
    for (const Seeds& group : groups) plot.lines.push_back(line_of_seeds(group, statistics.size(), k));
    figure.plots.push_back(std::move(plot));
  }
  for (const TheoremCurve& run : runs) figure.source += (figure.source.empty() ? "" : ", ") + run.name;
  return figure;
}

}  // namespace pairs
