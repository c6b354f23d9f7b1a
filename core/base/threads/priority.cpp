#include "core/base/threads/priority.h"

#include <sys/resource.h>
#include <unistd.h>

namespace pairs {

void lower_priority(int by) {
  setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), by);  // best effort: nothing depends on it
}

int lowered_priority() {
  return getpriority(PRIO_PROCESS, static_cast<id_t>(gettid()));
}

}  // namespace pairs
