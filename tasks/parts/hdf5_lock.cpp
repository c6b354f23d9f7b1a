#include "tasks/parts/hdf5_lock.h"

#if PAIRS_WITH_HDF5
#define H5_USE_110_API  // later versions keep the names of this one
#include <hdf5.h>

#include <cstdlib>

namespace pairs {

// Tasks live until the end of the program: the library must not clean up, in a handler of exit(), while files are still
// open.
std::recursive_mutex& hdf5_lock() {
  static std::recursive_mutex lock;
  // Files on shared disks, and those without write permission, cannot be locked. The library opens sources of virtual
  // data sets with its own setting, and returns fill values if it differs from ours: only the environment variable,
  // which it reads at its first call, affects both.
  static const bool begun = [] {
    ::setenv("HDF5_USE_FILE_LOCKING", "FALSE", 0);
    return H5dont_atexit() >= 0;
  }();
  (void)begun;
  return lock;
}

}  // namespace pairs

#endif
