#pragma once

#include <cstdint>
#include <string>

namespace pairs::model {

// The hardware that the program computes with.
class Machine {
 public:
  virtual ~Machine() = default;
  // The device of posteriors, GPU or CPU, and the number of CPU threads.
  virtual std::string device_name() const = 0;
  virtual std::int64_t threads() const = 0;
  // Takes effect at once and persists. Returns why it failed, in one sentence, or "". `number`: as typed; 0: one thread
  // per core.
  virtual std::string use_device(const std::string& name) = 0;
  virtual std::string use_threads(const std::string& number) = 0;
  // Why neither can be changed now; empty if they can.
  virtual std::string machine_blocked() const = 0;
};

}  // namespace pairs::model
