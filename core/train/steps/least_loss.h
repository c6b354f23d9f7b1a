#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/heads/head_config.h"
#include "core/task.h"
#include "core/train/settings/size_distribution.h"

namespace pairs {

// The smallest mean loss that an estimator can reach if N follows the distribution, over the list or from 1 to its last
// size: the exact posterior's NLL minus the sum of the logarithms of the targets' scales, or ranges (Estimator::loss).
// NaN if the exact NLL is unknown, and for losses that are not densities.
double least_loss(const TaskInfo& task, const HeadConfig& head, const std::vector<std::int64_t>& sizes,
                  SizeDistribution distribution, const std::function<double(std::int64_t)>& exact_nll);

}  // namespace pairs
