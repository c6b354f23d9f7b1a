#pragma once

#include <sys/types.h>

namespace pairs::model {

// Takes leave of a process that start_detached (core/base/child_process.h) began and that has ended, which would stay
// in the list of processes until this one ends; its number, 0 where there was none. Children of other kinds stay for
// those who wait for them.
pid_t reap_detached();

}  // namespace pairs::model
