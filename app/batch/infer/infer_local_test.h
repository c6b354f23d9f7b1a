#pragma once

#include <cstdint>

#include "app/posterior/set_posterior/set_posterior.h"

namespace pairs::batch {

// The local test of the first n observations with this number of simulated sets, with progress on stderr. Throws
// Stopped.
LocalTest infer_local_test(const SetPosterior& posterior, std::int64_t n, std::int64_t sets, std::uint64_t seed);

}  // namespace pairs::batch
