#pragma once

#include <string>
#include <vector>

#include "app/scores/metrics_file.h"
#include "core/train/run.h"

namespace pairs::batch {

// The evaluation that `evaluate --out` wrote, for figures of scores. Throws Error where it is not of this run's
// weights, and a usage error for other than one run.
std::vector<Metrics> written_evaluation(const std::string& file, const std::vector<LoadedRun>& runs);

}  // namespace pairs::batch
