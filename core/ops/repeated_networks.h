#pragma once

#include <memory>

namespace pairs::ops {

// Until its end, networks that this thread evaluates without gradients (core/ops/ops.h, mlp) keep their packed weights,
// and their output for the last small input, which is returned again for an equal one: to the bit what evaluating it
// gives. For code that asks the same networks about one set after the other. Weights must not change meanwhile.
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
