#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/batch/command.h"
#include "app/posterior/observed_set.h"
#include "core/report/figure.h"
#include "core/train/run.h"

namespace pairs::batch {

// The predictive test of a set, drawn: what `infer --predictive 200` tells of it goes into `result` and `warnings`. n:
// of its first observations; 0: all that the run takes.
Figure draw_predictive(const LoadedRun& run, const SetChoice& set, std::int64_t n, Result& result,
                       std::vector<std::string>& warnings);

}  // namespace pairs::batch
