#pragma once

namespace pairs {

// Returns freed memory that the allocator keeps back to the system. Takes some milliseconds, and the next large tensors
// need new pages: call it when the program is idle.
void release_freed_memory();

}  // namespace pairs
