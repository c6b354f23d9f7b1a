#pragma once

#include "core/base/threads/clock.h"

namespace pairs {

// Seconds for which pauses have held the calling thread so far; code that holds a thread adds to them.
inline thread_local double paused_seconds = 0;

// Seconds of work on this thread since the watch was made, without pauses.
class WorkWatch {
 public:
  double seconds() const { return watch_.seconds() - (paused_seconds - paused_); }

 private:
  double paused_ = paused_seconds;
  Stopwatch watch_;
};

}  // namespace pairs
