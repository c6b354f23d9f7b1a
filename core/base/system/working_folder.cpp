#include "core/base/system/working_folder.h"

#include <unistd.h>

#include <cerrno>

namespace {

// Runs before the constructors of the shared libraries, so it must not use anything that needs one.
void need_working_folder(int, char**, char**) {
  static char folder[4096];
  if (::getcwd(folder, sizeof folder) != nullptr || errno != ENOENT) return;
  (void)!::write(STDERR_FILENO, pairs::kNoWorkingFolder.data(), pairs::kNoWorkingFolder.size());
  ::_exit(2);
}

}  // namespace

// The name lets a linker take this file from its archive (pairs_program in cmake/Targets.cmake).
extern "C" {
extern void (*const pairs_need_working_folder)(int, char**, char**);
__attribute__((section(".preinit_array"), used)) void (*const pairs_need_working_folder)(int, char**,
                                                                                         char**) = &need_working_folder;
}
