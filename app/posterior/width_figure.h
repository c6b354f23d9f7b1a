#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/report/figure.h"
#include "core/train/run.h"

namespace pairs {

// Bump hunt: median posterior sd against ψ at N = 100 and θ = 0.2 for each run beside exact, naive and per-event.
Figure width_figure(const std::vector<LoadedRun>& runs, std::int64_t sets, const std::function<bool()>& keep_going);

}  // namespace pairs
