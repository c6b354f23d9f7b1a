#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/train/run.h"

namespace pairs {

// Makes a run folder whose estimator is the equal mixture of those of `runs`, as find_run names them: two or more of
// one task and source of data that differ in nothing but their seed and are trained as far. It holds copies of their
// weights and depends on none of them from then on. `calibrated`: it is drawn together or apart to its fitted_width().
// `folder` empty: runs/<task>-<time> below the current folder.
// Returns the folder. Throws a usage error before anything is written where the runs do not go together.
std::filesystem::path create_ensemble(const Tasks& tasks, const std::vector<std::string>& runs,
                                      const std::filesystem::path& folder, const std::string& data = "",
                                      bool calibrated = false, const Preparation& preparation = {});

// The event with which an ensemble records what its runs had cost.
Event averaged_from(const std::vector<LoadedRun>& runs);

}  // namespace pairs
