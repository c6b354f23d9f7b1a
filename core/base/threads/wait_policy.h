#pragma once

namespace pairs {

// A thread that waits for the others of a parallel loop first spins, then sleeps. LibTorch's OpenMP library spins for
// milliseconds, which wastes time on a busy machine: all our programs start with a limit on the number of spins
// (tests/bench/busy_bench.cpp measures the effect), unless OMP_WAIT_POLICY or GOMP_SPINCOUNT is set. The library reads
// the limit when it is loaded, so the program sets it and starts itself again before anything else has run.
inline constexpr const char* kSpinCount = "GOMP_SPINCOUNT=30000";

}  // namespace pairs
