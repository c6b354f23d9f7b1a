#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/report/figure.h"
#include "core/train/run_progress.h"

namespace pairs {

// What a run's log tells of its sufficient statistics while stage 1 trained.
struct TheoremCurve {
  std::string name, strategy;  // of the run
  std::string label;           // runs of one label are seeds of one setting (run_labels.h)
  int shade = 0;               // as LossCurves::shade
  RunProgress progress = {};
};

// 1 − R² of the sufficient statistics against the steps of stage 1, on a logarithmic axis: the largest of them, then a
// plot for each of `statistics`, their names. A line a label: the mean over its runs, in a band from the least to the
// greatest. Throws Error for a run whose log tells no 1 − R², or of another number of statistics.
Figure theorem_figure(const std::vector<TheoremCurve>& runs, const std::vector<std::string>& statistics);

}  // namespace pairs
