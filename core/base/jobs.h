#pragma once

#include <functional>

namespace pairs {

// Runs the job on a thread of low priority that jobs of the whole program share: on one that is at rest, else on a new
// one, so that a long job holds up no other. A thread at rest ends after a moment. The job must not throw.
void run_in_background(std::function<void()> job);

// Threads that wait for jobs or run them.
int background_threads();

}  // namespace pairs
