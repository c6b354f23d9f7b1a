#include "core/base/threads/wait_policy.h"

#include <sys/auxv.h>
#include <unistd.h>

#include <cstddef>

namespace {

bool assigns(const char* entry, const char* variable) {
  while (*variable != '\0' && *entry == *variable) ++entry, ++variable;
  return *variable == '\0' && *entry == '=';
}

// Runs before the constructors of the shared libraries, so it must not use anything that needs one.
void bound_spinning(int, char** arguments, char** environment) {
  constexpr std::size_t kMost = 8192;
  static const char* extended[kMost];
  static char program[4096];
  std::size_t count = 0;
  for (; environment[count] != nullptr; ++count) {
    if (count + 2 >= kMost || assigns(environment[count], "GOMP_SPINCOUNT") ||
        assigns(environment[count], "OMP_WAIT_POLICY"))
      return;
    extended[count] = environment[count];
  }
  if (::getauxval(AT_BASE) == 0) return;  // started through the loader, so that /proc/self/exe is the loader
  extended[count] = pairs::kSpinCount;
  const ssize_t length = ::readlink("/proc/self/exe", program, sizeof program - 1);
  if (length > 0 && static_cast<std::size_t>(length) < sizeof program - 1)
    ::execve(program, arguments, const_cast<char* const*>(extended));
}

}  // namespace

// The name lets a linker take this file from its archive (pairs_program in cmake/Targets.cmake).
extern "C" {
extern void (*const pairs_bound_spinning)(int, char**, char**);
__attribute__((section(".preinit_array"), used)) void (*const pairs_bound_spinning)(int, char**,
                                                                                    char**) = &bound_spinning;
}
