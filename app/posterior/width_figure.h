#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/report/figure.h"
#include "core/train/run.h"

namespace pairs {

// Whether there is one: of tasks with one target, one nuisance and references.
bool has_width_figure(const Task& task);
// Median posterior sd of θ against ψ for each run beside the task's references, at N = 100 and with θ a fifth into the
// range that figures of its prior show.
Figure width_figure(const std::vector<LoadedRun>& runs, std::int64_t sets, const std::function<bool()>& keep_going);
// Posterior means and sd of θ against ψ, each averaged over sets, for each run beside the references, with θ at .2 and
// .4 of that range: a calibrated posterior's mean lies on the truth or, where the data say little, between it and the
// prior's (paper, appendix "Calibration").
Figure location_figure(const std::vector<LoadedRun>& runs, std::int64_t sets, const std::function<bool()>& keep_going);

}  // namespace pairs
