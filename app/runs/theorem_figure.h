#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/report/figure.h"
#include "core/train/run/run_progress.h"

namespace pairs {

// The record of a run's sufficient statistics during stage 1.
struct TheoremCurve {
  std::string name, strategy;  // of the run
  std::string label;           // runs of one label are seeds of one setting (run_labels.h)
  int shade = 0;               // as LossCurves::shade
  RunProgress progress = {};
};

// 1 − R² of the sufficient statistics against the steps of stage 1, on a logarithmic axis: their maximum, then one plot
// for each of `statistics` (their names). One line per label: the mean over its runs, with a band from minimum to
// maximum. Throws Error for a run whose log has no 1 − R², or another number of statistics.
Figure theorem_figure(const std::vector<TheoremCurve>& runs, const std::vector<std::string>& statistics);

}  // namespace pairs
