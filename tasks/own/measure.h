#pragma once

#include <torch/types.h>

#include <vector>

#include "tasks/own/task_file.h"

namespace pairs::own {

// Ranges of a task's targets and of those nuisances whose view its file leaves out, from draws of the prior theta [S,
// d] and psi [S, p], float64, by their quantiles. Throws Error where a prior draws nearly always the same.
std::vector<Measured> measure(const TaskFile& file, const torch::Tensor& theta, const torch::Tensor& psi);

}  // namespace pairs::own
