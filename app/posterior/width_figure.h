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

}  // namespace pairs
