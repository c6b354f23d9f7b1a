#pragma once

#include <cmath>
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

// What losses are drawn against: steps, epochs, seconds of work on the stage, or the stage's GFLOP by the paper's rule.
enum class LossAxis { step, epoch, seconds, gflop };
struct LossLook {
  LossAxis axis = LossAxis::step;
  // Weight of what came before in an exponential mean over the points, without the bias of its first ones; 0: as they
  // are, below 1.
  double smoothing = 0;
  friend bool operator==(const LossLook&, const LossLook&) = default;
};

// Training and validation loss of each stage from the runs' event logs.
struct LossCurves {
  std::string name, strategy;
  RunProgress progress;
  std::string label = "loss / nat";  // what they are
  int shade = 0;                     // as Metrics::shade
  // Of a step of stage 1 and of stage 3; NaN where it is not known.
  double pretrain_gflop = NAN, finetune_gflop = NAN;
};
// Runs of which the axis is not known are left out, and the title says so. Throws Error where nothing is left.
Figure loss_figure(const std::vector<LossCurves>& runs, const LossLook& look = {});
// The learning rate of each stage against the same. Throws Error where no log holds it.
Figure rate_figure(const std::vector<LossCurves>& runs, LossAxis axis);

}  // namespace pairs
