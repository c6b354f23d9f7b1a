#pragma once

#include <functional>

namespace pairs {

// While it exists, interruption_point() on this thread calls `stop`; the innermost one counts. An empty `stop` never
// stops.
class Interruptible {
 public:
  explicit Interruptible(std::function<bool()> stop);
  ~Interruptible();
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;

 private:
  std::function<bool()> stop_;
  Interruptible* outer_;
  friend bool interruptible();
  friend void interruption_point();
};

// Whether interruption_point() on this thread may throw.
bool interruptible();

// Throws Stopped if this thread was asked to stop. Called by the layers of large networks, because one training step
// may run hundreds of layers and take minutes.
void interruption_point();

}  // namespace pairs
