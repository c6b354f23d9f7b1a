#pragma once

#include <cstdint>
#include <string>

#include "app/posterior/checks/within_sets.h"
#include "app/posterior/set_posterior/set_posterior.h"
#include "core/train/run/run.h"

namespace pairs::batch {

// Throws a usage error if no predictive test is possible. Returns a warning, also on stderr, if the simulator has
// changed since training; else "".
std::string check_predictive(const LoadedRun& run, std::int64_t sets);
// The predictive test of the first n observations with this number of simulated sets, with progress on stderr. Throws
// Stopped.
SetPredictiveTest infer_predictive(const SetPosterior& posterior, std::int64_t n, std::int64_t sets,
                                   std::uint64_t seed);

}  // namespace pairs::batch
