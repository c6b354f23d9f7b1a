#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/batch/parts/command.h"
#include "app/posterior/question/question.h"
#include "core/report/figure.h"
#include "core/train/run/run.h"

namespace pairs::batch {

// Draws the predictive test of a set; adds the output of `infer --predictive 200` to `result` and `warnings`. The
// question's n: number of first observations; 0: all that the run accepts.
Figure draw_predictive(const LoadedRun& run, const Question& question, Result& result,
                       std::vector<std::string>& warnings);

}  // namespace pairs::batch
