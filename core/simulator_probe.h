#pragma once

#include <string>
#include <vector>

#include "core/task.h"

namespace pairs {

// What a custom simulator returns for a few fixed sets, which shows whether the program has changed.
struct SimulatorProbe {
  std::string checksum;            // checksum of all that it returned
  std::vector<double> latents, x;  // some of the numbers, which show how far a changed program is off; x is
                                   // standardized as for networks

  bool empty() const { return checksum.empty(); }
};

// A task whose sets are simulated by a program that may change.
class ProbedSimulator {
 public:
  virtual ~ProbedSimulator() = default;
  // Simulates the same sets at every call.
  virtual SimulatorProbe probe() const = 0;
};

}  // namespace pairs
