#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/train/run/run.h"

namespace pairs {

// Creates a run folder whose estimator is the equal mixture of those of `runs`, which find_run resolves: two or more
// runs of one task and data source that differ only in their seed and have finished the same stages. The folder holds
// copies of their weights and does not depend on the runs afterwards. `calibrated`: recalibrates the mixture by its
// fitted_width(). `folder` empty: runs/<task>-<time> below the current folder.
// Returns the folder. Throws a usage error before writing anything if the runs do not match.
std::filesystem::path create_ensemble(const Tasks& tasks, const std::vector<std::string>& runs,
                                      const std::filesystem::path& folder, const std::string& data = "",
                                      bool calibrated = false, const Preparation& preparation = {});

// The event in which an ensemble records the cost of its runs.
Event averaged_from(const std::vector<LoadedRun>& runs);

}  // namespace pairs
