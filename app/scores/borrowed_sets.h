#pragma once

#include "core/train/run.h"

namespace pairs {

// The run, to be scored on the sets of another task that asks the same: targets, observations and standardisation stay
// its own. For runs of one task of a person's own, one trained from stored sets and one from a simulator. Throws Error
// where θ or x of the two differ.
LoadedRun with_sets_of(const LoadedRun& run, const LoadedRun& other);

}  // namespace pairs
