#include "core/base/system/memory.h"

#include <dlfcn.h>
#include <malloc.h>

namespace pairs {

void release_freed_memory() {
  // Programs are linked with tcmalloc, except those under sanitizers.
  static const auto release = reinterpret_cast<void (*)()>(::dlsym(RTLD_DEFAULT, "MallocExtension_ReleaseFreeMemory"));
  if (release != nullptr)
    release();
  else
    ::malloc_trim(0);
}

}  // namespace pairs
