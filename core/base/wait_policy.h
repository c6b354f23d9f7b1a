#pragma once

namespace pairs {

// A thread that waits for the others of a parallel loop first spins, then sleeps. LibTorch's OpenMP library spins for
// milliseconds, which a machine that has other work to do gives it no time for: every program of ours starts with a
// bound of so many turns (tests/bench/busy_bench.cpp measures it), unless OMP_WAIT_POLICY or GOMP_SPINCOUNT is set. The
// library reads the bound when it is loaded, so the program starts once more with it set, before anything else has run.
inline constexpr const char* kSpinCount = "GOMP_SPINCOUNT=30000";

}  // namespace pairs
