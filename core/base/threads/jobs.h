#pragma once

#include <functional>

namespace pairs {

// Runs the job on a low-priority thread of a pool that the whole program shares, starting a new thread if none is idle,
// so that a long job delays no other. An idle thread ends after a moment. The job must not throw.
void run_in_background(std::function<void()> job);

// The number of threads that wait for jobs or run them.
int background_threads();

}  // namespace pairs
