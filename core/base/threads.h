#pragma once

#include <cstdint>

namespace pairs {

// Cores that this process may run on: those of its affinity, no more than the quota of its container and than
// SLURM_CPUS_PER_TASK say.
int usable_cores();

// Sets how many CPU threads parallel loops take: one a core, or `wanted` when it is above 0. More than there are cores
// only get into each other's way: these are told and left out.
void use_threads(std::int64_t wanted);

// How many CPU threads what runs in the background of the window takes, as use_threads: each of its threads takes the
// number over with follow_background_threads(), before its next job. Without the first the second does nothing.
void set_background_threads(std::int64_t wanted);
void follow_background_threads();

}  // namespace pairs
