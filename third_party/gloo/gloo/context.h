#pragma once

#include <chrono>

// See third_party/gloo/README.md.
namespace gloo {
class Context {
 public:
  void setTimeout(std::chrono::milliseconds timeout);
};
}  // namespace gloo
