#pragma once

#include <cstdint>

namespace pairs {

// Cores that this process may run on.
int usable_cores();

// Sets how many CPU threads parallel loops take: one a core, or `wanted` when it is above 0. More than there are cores
// only get into each other's way: these are told and left out.
void use_threads(std::int64_t wanted);

}  // namespace pairs
