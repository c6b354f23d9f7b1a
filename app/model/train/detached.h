#pragma once

namespace pairs::model {

// Takes leave of a process that start_detached (core/base/child_process.h) began and that has ended, which would stay
// in the list of processes until this one ends; whether there was one. Children of other kinds stay for those who
// wait for them.
bool reap_detached();

}  // namespace pairs::model
