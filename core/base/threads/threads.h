#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace pairs {

// Cores that this process may use: those of its affinity, limited by its container's quota and by SLURM_CPUS_PER_TASK.
int usable_cores();

// The core on which the calling thread runs.
int current_core();

// Sets how many CPU threads parallel loops use: one per core, or `wanted` if it is above 0. More threads than cores
// would slow each other down: these are left out with a warning.
void use_threads(std::int64_t wanted);

// Next to other programs the system may run two threads of a parallel loop on one core, where they wait for each other,
// and leave them there for seconds: such loops take about twice as long (tests/bench/busy_bench.cpp). This moves them
// apart once; after that the system places them again. Call it between loops. It checks at most ten times a second, and
// only if this process may use as many cores as its loops have threads. Returns the cores that the moved threads
// reached. Tests pass another `core_of_thread`, the core on which the calling thread runs.
std::vector<int> keep_threads_apart(const std::function<int()>& core_of_thread = current_core);

// For threads that run on the cores `at`: which of the cores `usable` each thread should move to if it shares its core
// with a thread before it; nothing if it may stay.
std::vector<std::optional<int>> moved_apart(const std::vector<int>& at, const std::vector<int>& usable);

// Sets how many CPU threads the window's background work uses, as use_threads does. Each background thread adopts the
// number by calling follow_background_threads() before its next job, which does nothing if no number was set.
void set_background_threads(std::int64_t wanted);
void follow_background_threads();

}  // namespace pairs
