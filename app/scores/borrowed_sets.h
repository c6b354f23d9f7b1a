#pragma once

#include "core/train/run/run.h"

namespace pairs {

// The run, to be scored on the sets of another task with the same quantities; its own targets, observations and
// standardization stay. For two runs of a custom task, one trained from stored sets and one from a simulator. Throws
// Error if θ or x of the two differ.
LoadedRun with_sets_of(const LoadedRun& run, const LoadedRun& other);

}  // namespace pairs
