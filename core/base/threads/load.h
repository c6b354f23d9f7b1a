#pragma once

#include <string>

#include "core/base/threads/clock.h"

namespace pairs {

// Measures how much of the machine's processors other processes use, from its construction on.
class LoadMeter {
 public:
  LoadMeter();
  // Cores that other processes kept busy on average; 0 if the system does not report it.
  double others() const;
  // Cores of the machine.
  double cores() const;
  // Threads of other processes that run or wait for a core at this moment; infinity if the system does not report it.
  static double runnable_others();

 private:
  Stopwatch watch_;
  double busy_, own_;
};

// A sentence on how much longer work takes on the busy machine than on an idle one: `others` of `cores` are busy with
// other processes. "" if enough cores are left for our threads.
std::string busy_sentence(double others, double cores, double threads);

}  // namespace pairs
