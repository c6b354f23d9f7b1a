#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace pairs {

// Cores that this process may run on: those of its affinity, no more than the quota of its container and than
// SLURM_CPUS_PER_TASK say.
int usable_cores();

// Sets how many CPU threads parallel loops take: one a core, or `wanted` when it is above 0. More than there are cores
// only get into each other's way: these are told and left out.
void use_threads(std::int64_t wanted);

// Beside other programs the system may run two threads of a parallel loop on one core, where they wait for each other,
// and leave them there for seconds: such loops take about twice as long (tests/bench/busy_bench.cpp). This moves
// them apart; where they go then is the system's choice again. Called between loops, it looks at most ten times a
// second, and only where this process may use as many cores as its loops have threads.
void keep_threads_apart();

// Threads that run on the cores `at`: to which of the cores `usable` those should move that share one with a thread
// before them, none where they may stay.
std::vector<std::optional<int>> moved_apart(const std::vector<int>& at, const std::vector<int>& usable);

// How many CPU threads what runs in the background of the window takes, as use_threads: each of its threads takes the
// number over with follow_background_threads(), before its next job. Without the first the second does nothing.
void set_background_threads(std::int64_t wanted);
void follow_background_threads();

}  // namespace pairs
