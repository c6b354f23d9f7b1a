#pragma once

#include <sys/types.h>

namespace pairs::model {

// Reaps an ended process that start_detached (core/base/system/child_process.h) started, which would otherwise remain a
// zombie; returns its number, 0 if there was none. Leaves children of other kinds to their owners.
pid_t reap_detached();

}  // namespace pairs::model
