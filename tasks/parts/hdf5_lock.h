#pragma once

#include <mutex>

namespace pairs {

// Held around every call of libhdf5, which keeps state of its own and is not thread-safe as distributions build it.
// Builds without the library have none.
std::recursive_mutex& hdf5_lock();

}  // namespace pairs
