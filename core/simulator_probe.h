#pragma once

#include <string>
#include <vector>

#include "core/task.h"

namespace pairs {

// What a person's simulator draws for a few fixed sets, by which another program is told from the one that it was.
struct SimulatorProbe {
  std::string checksum;            // of all that it drew
  std::vector<double> latents, x;  // some of the numbers, by which it is told how far another one is off; those of x
                                   // standardised as networks see them

  bool empty() const { return checksum.empty(); }
};

// A task whose sets are drawn by a program that may change.
class ProbedSimulator {
 public:
  virtual ~ProbedSimulator() = default;
  // Asks the program for the same sets each time.
  virtual SimulatorProbe probe() const = 0;
};

}  // namespace pairs
