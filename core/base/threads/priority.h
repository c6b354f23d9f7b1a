#pragma once

namespace pairs {

// Lowers the priority of the calling thread, and of threads that it starts from now on, by `by` steps (0 to 19).
void lower_priority(int by);
// By how many steps the calling thread's priority is lowered.
int lowered_priority();

}  // namespace pairs
