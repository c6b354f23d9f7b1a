#pragma once

#include <memory>

namespace pairs::ops {

// While it exists, networks that this thread evaluates without gradients (core/ops/ops.h, mlp) keep their packed
// weights, and their output for the last small input, which is reused for an equal input: identical bit for bit to
// evaluating again. For code that evaluates the same networks on one set after another. Weights must not change
// meanwhile.
class RepeatedNetworks {
 public:
  RepeatedNetworks();
  ~RepeatedNetworks();
  RepeatedNetworks(const RepeatedNetworks&) = delete;
  RepeatedNetworks& operator=(const RepeatedNetworks&) = delete;

  struct Kept;

 private:
  std::unique_ptr<Kept> kept_;
  Kept* before_;
};

}  // namespace pairs::ops
