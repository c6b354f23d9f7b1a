#pragma once

#include <string>
#include <vector>

#include "core/heads/head_config.h"
#include "core/report/figure.h"
#include "core/train/run_progress.h"

namespace pairs {

// Adds the lines of training (dotted) and validation losses; `name` goes before the names of the lines. Without a name
// rules stand where other lessons than the first begin.
void add_losses(Plot& plot, const RunProgress& run, Stage stage, SeriesRole role, const std::string& name);
// The axes of a plot of losses, to be called when all lines are there; `label` as of loss_label.
void fit_losses(Plot& plot, const std::string& label);
// What the losses of a run with this head are: "loss / nat" of densities, else a mean squared error.
std::string loss_label(const HeadConfig& head);

// Training and validation loss of each stage from the runs' event logs.
struct LossCurves {
  std::string name, strategy;
  RunProgress progress;
  std::string label = "loss / nat";  // what they are
  int shade = 0;                     // as Metrics::shade
};
Figure loss_figure(const std::vector<LossCurves>& runs);

}  // namespace pairs
