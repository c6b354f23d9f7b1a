#pragma once

namespace pairs {

// Gives memory that was freed, and that the allocator keeps for later, back to the system. Takes some milliseconds, and
// the next large tensors are faulted in anew: for moments after which the program rests.
void release_freed_memory();

}  // namespace pairs
