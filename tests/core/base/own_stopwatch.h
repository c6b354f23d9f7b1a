#pragma once

#include <fstream>

#include "core/base/threads/clock.h"

namespace pairs {

// Seconds that the thread which made it takes, waits for others included, but not the time in which it was ready to run
// and other programs had the cores (the kernel's count, where it keeps one): what a busy machine does not lengthen.
class OwnStopwatch {
 public:
  double seconds() const { return watch_.seconds() - (waited() - before_); }

 private:
  static double waited() {
    std::ifstream file("/proc/thread-self/schedstat");
    double ran = 0, waited = 0;
    return file >> ran >> waited ? 1e-9 * waited : 0;
  }
  double before_ = waited();
  Stopwatch watch_;
};

}  // namespace pairs
