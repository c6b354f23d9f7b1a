#pragma once

#include <functional>

namespace pairs {

// While it lives, interruption_point() on this thread asks `stop`; the innermost counts. An empty `stop` never stops.
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

// Throws Stopped where the thread is asked to stop. For the layers of large networks: one step of training may hold
// hundreds of them and take minutes.
void interruption_point();

}  // namespace pairs
