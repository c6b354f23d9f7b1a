#pragma once

#include <cstdint>

#include "app/posterior/set_posterior.h"
#include "core/train/run.h"

namespace pairs::batch {

// Refuses, as a usage error, what no local test can be made of.
void check_local_test(const LoadedRun& run, std::int64_t sets);
// The local test of the first n observations by so many simulated sets, with its progress on stderr. Throws Stopped.
LocalTest infer_local_test(const SetPosterior& posterior, std::int64_t n, std::int64_t sets, std::int64_t seed);

}  // namespace pairs::batch
