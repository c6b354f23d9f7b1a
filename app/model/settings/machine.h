#pragma once

#include <cstdint>
#include <string>

namespace pairs::model {

// What the program computes with.
class Machine {
 public:
  virtual ~Machine() = default;
  // Where posteriors are computed, GPU or CPU, and with how many CPU threads.
  virtual std::string device_name() const = 0;
  virtual std::int64_t threads() const = 0;
  // Used at once and kept. Empty when done, else why not, in one sentence. Threads as people type them; 0: one a core.
  virtual std::string use_device(const std::string& name) = 0;
  virtual std::string use_threads(const std::string& number) = 0;
  // Why neither can be changed now; empty when they can.
  virtual std::string machine_blocked() const = 0;
};

}  // namespace pairs::model
