#include "app/runs/loss_figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/runs/strategy_look.h"
#include "core/base/error.h"
#include "core/heads/head.h"
#include "core/report/shades.h"

namespace pairs {

void add_losses(Plot& plot, const RunProgress& run, Stage stage, SeriesRole role, const std::string& name) {
  if (stage == Stage::pretrain && name.empty())
    for (const auto& [step, settings] : run.lessons())
      if (step > 0) plot.rules.push_back({settings, SeriesRole::other, static_cast<double>(step)});
  for (const auto& [n, points] : run.losses(stage)) {
    const std::string head = name + (n > 0 ? fmt::format("N = {}, ", n) : "");
    for (const bool training : {true, false}) {
      Line line;
      line.name = head + (training ? "training" : "validation");
      line.role = role;
      line.style = training ? LineStyle::dotted : LineStyle::solid;
      line.x.reserve(points.size());
      line.y.reserve(points.size());
      for (const LossPoint& point : points)
        if (const double y = training ? point.train : point.validation; std::isfinite(y)) {
          line.x.push_back(static_cast<double>(point.step));
          line.y.push_back(y);
        }
      line.markers = line.x.size() < 4;
      if (!line.x.empty()) plot.lines.push_back(std::move(line));
    }
  }
}

std::string loss_label(const HeadConfig& head) {
  return head_kind(head.kind).loss_text;
}

void fit_losses(Plot& plot, const std::string& label) {
  plot.x.label = "step";
  plot.y.label = label;
  for (const Line& line : plot.lines) plot.x.high = std::max(plot.x.high, 1.02 * line.x.back());
}

Figure loss_figure(const std::vector<LossCurves>& runs) {
  Figure figure;
  figure.title = "Training and validation loss";
  for (const Stage stage : {Stage::pretrain, Stage::finetune}) {
    Plot plot;
    plot.title = stage_name(stage);
    for (const LossCurves& run : runs) {
      add_losses(plot, run.progress, stage, shaded(strategy_role(run.strategy), run.shade),
                 runs.size() > 1 ? run.name + ", " : "");
    }
    fit_losses(plot, runs.empty() ? "" : runs.front().label);
    if (!plot.lines.empty()) figure.plots.push_back(std::move(plot));
  }
  PAIRS_CHECK(!figure.plots.empty(), "No loss has been recorded yet; train the run first");
  figure.columns = static_cast<std::int64_t>(figure.plots.size());
  for (const LossCurves& run : runs) figure.source += (figure.source.empty() ? "" : ", ") + run.name;
  return figure;
}

}  // namespace pairs
