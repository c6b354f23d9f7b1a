#pragma once

#include <cstdint>
#include <string>

#include "app/posterior/set_posterior.h"
#include "app/posterior/within_sets.h"
#include "core/train/run.h"

namespace pairs::batch {

// Refuses what no predictive test can be made of: a usage error. Says, also on stderr, where the simulator has changed
// since the run was trained; else "".
std::string check_predictive(const LoadedRun& run, std::int64_t sets);
// The predictive test of the first n observations beside so many simulated sets, with its progress on stderr. Throws
// Stopped.
SetPredictiveTest infer_predictive(const SetPosterior& posterior, std::int64_t n, std::int64_t sets, std::int64_t seed);

}  // namespace pairs::batch
