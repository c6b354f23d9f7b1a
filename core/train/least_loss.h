#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/heads/head_config.h"
#include "core/task.h"
#include "core/train/size_distribution.h"

namespace pairs {

// The least mean loss that an estimator can reach where the distribution draws N: of the list, or from 1 to its last:
// the exact posterior's NLL less the sum of the logarithms of the targets' scales, or ranges (Estimator::loss). NaN
// where the exact NLL is not known, and for losses that are no densities.
double least_loss(const TaskInfo& task, const HeadConfig& head, const std::vector<std::int64_t>& sizes,
                  SizeDistribution distribution, const std::function<double(std::int64_t)>& exact_nll);

}  // namespace pairs
