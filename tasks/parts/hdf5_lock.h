#pragma once

#include <mutex>

namespace pairs {

// Held around every call of libhdf5, which has global state and is not thread-safe in distributions' builds. Builds
// without the library do not define it.
std::recursive_mutex& hdf5_lock();

}  // namespace pairs
