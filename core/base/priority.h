#pragma once

namespace pairs {

// Gives the calling thread, and threads it starts from now on, `by` steps (0 to 19) less priority than others have.
void lower_priority(int by);
// By how many steps the calling thread's is lowered.
int lowered_priority();

}  // namespace pairs
