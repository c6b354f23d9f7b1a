#pragma once

#include <unistd.h>

#include <utility>

namespace pairs {

// Owns a file descriptor (or -1) and closes it.
class Descriptor {
 public:
  explicit Descriptor(int value) : value_(value) {}
  ~Descriptor() {
    if (value_ >= 0) ::close(value_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  operator int() const { return value_; }
  // Releases the descriptor, which the caller then closes.
  int release() { return std::exchange(value_, -1); }

 private:
  int value_;
};

}  // namespace pairs
