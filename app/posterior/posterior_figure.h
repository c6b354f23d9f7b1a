#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/report/figure.h"
#include "core/train/run.h"

namespace pairs {

// One test set: the posterior at growing N (or at `only_n`, when above zero) around the truth, beside the references
// where the task has them. One target: densities; two: contours of 50 and 90 % with marginals.
Figure posterior_figure(const std::vector<LoadedRun>& runs, std::int64_t set_index,
                        const std::function<bool()>& keep_going, std::int64_t only_n = 0);

}  // namespace pairs
