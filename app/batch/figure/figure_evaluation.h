#pragma once

#include <string>
#include <vector>

#include "app/scores/metrics_file.h"
#include "core/train/run/run.h"

namespace pairs::batch {

// Reads the evaluation written by `evaluate --out`, for figures of scores. Throws Error if it does not belong to this
// run's weights, and a usage error unless there is exactly one run.
std::vector<Metrics> written_evaluation(const std::string& file, const std::vector<LoadedRun>& runs);

}  // namespace pairs::batch
