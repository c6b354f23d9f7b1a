#include "app/runs/loss_figure.h"

#include "app/runs/run_log.h"
#include "app/runs/strategy_look.h"
#include "core/base/error.h"
#include "core/report/shades.h"

namespace pairs {

Figure loss_figure(const std::vector<LossCurves>& runs) {
  Figure figure;
  figure.title = "Training and validation loss";
  for (const Stage stage : {Stage::pretrain, Stage::finetune}) {
    Plot plot;
    plot.title = stage_name(stage);
    for (const LossCurves& run : runs) {
      RunLog log;
      for (const Event& event : run.events) log.add(event);
      add_losses(plot, log, stage, shaded(strategy_role(run.strategy), run.shade),
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
