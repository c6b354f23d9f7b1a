#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/heads/head_config.h"
#include "core/task.h"

namespace pairs {

// The least mean loss that an estimator can reach where sets have N = sizes equally often, or log-uniform on
// 1..sizes.back(): the exact posterior's NLL less the sum of the logarithms of the targets' scales. NaN where the exact
// NLL is not known, and for losses that are no densities.
double least_loss(const TaskInfo& task, const HeadConfig& head, const std::vector<std::int64_t>& sizes,
                  bool log_uniform, const std::function<double(std::int64_t)>& exact_nll);

}  // namespace pairs
