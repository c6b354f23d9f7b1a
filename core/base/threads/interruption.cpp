#include "core/base/threads/interruption.h"

#include <utility>

#include "core/base/text/error.h"

namespace pairs {
namespace {

thread_local Interruptible* innermost = nullptr;

}  // namespace

Interruptible::Interruptible(std::function<bool()> stop)
    : stop_(std::move(stop)), outer_(std::exchange(innermost, this)) {}

Interruptible::~Interruptible() {
  innermost = outer_;
}

bool interruptible() {
  return innermost != nullptr && innermost->stop_;
}

void interruption_point() {
  if (interruptible() && innermost->stop_()) throw Stopped();
}

}  // namespace pairs
