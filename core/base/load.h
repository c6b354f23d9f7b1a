#pragma once

#include <string>

#include "core/base/clock.h"

namespace pairs {

// What other processes have taken of the machine's processors since the meter was made.
class LoadMeter {
 public:
  LoadMeter();
  // Cores that others kept busy on average; 0 where the system does not tell.
  double others() const;
  // Of the machine.
  double cores() const;
  // Threads of others that run or wait for a core at this moment; infinity where the system does not tell.
  static double runnable_others();

 private:
  Stopwatch watch_;
  double busy_, own_;
};

// A sentence on how much longer work takes beside others than alone, "" when they leave the threads that we use:
// `others` of `cores` are busy with other processes' work.
std::string busy_sentence(double others, double cores, double threads);

}  // namespace pairs
