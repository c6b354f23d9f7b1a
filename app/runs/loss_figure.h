#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "core/heads/head_config.h"
#include "core/report/figure.h"
#include "core/train/run/run_progress.h"

namespace pairs {

// Adds the lines of training (dotted) and validation losses; `name` precedes the names of the lines. Without a name,
// rules mark the starts of the curriculum's later steps.
void add_losses(Plot& plot, const RunProgress& run, Stage stage, SeriesRole role, const std::string& name);
// Sets the axes of a plot of losses; call once all lines are added; `label` as of loss_label.
void fit_losses(Plot& plot, const std::string& label);
// The unit of losses of a run with this head: "loss / nat" for densities, else a mean squared error.
std::string loss_label(const HeadConfig& head);

// The horizontal axis of losses: steps, epochs, training seconds of the stage, or the stage's GFLOP by the paper's
// rule.
enum class LossAxis { step, epoch, seconds, gflop };
struct LossLook {
  LossAxis axis = LossAxis::step;
  // Weight of earlier points in an exponential moving average, corrected for the bias of the first points; 0: no
  // smoothing; below 1.
  double smoothing = 0;
  friend bool operator==(const LossLook&, const LossLook&) = default;
};

// Training and validation loss of each stage from the runs' event logs.
struct LossCurves {
  std::string name, strategy;
  RunProgress progress;
  std::string label = "loss / nat";  // unit of the losses
  int shade = 0;                     // as Metrics::shade
  // The cost of a step of stage 1 and of stage 3; NaN if unknown.
  double pretrain_gflop = NAN, finetune_gflop = NAN;
};
// Omits runs for which the axis is unknown, which the title then states. Throws Error if no run is left.
Figure loss_figure(const std::vector<LossCurves>& runs, const LossLook& look = {});
// The learning rate of each stage against the same axis. Throws Error if no log has it.
Figure rate_figure(const std::vector<LossCurves>& runs, LossAxis axis);

}  // namespace pairs
