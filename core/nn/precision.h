#pragma once

#include <ATen/core/Tensor.h>

#include <string>

#include "core/base/fields/fields.h"

namespace pairs {

// Whether this processor computes in bfloat16: oneDNN needs AVX-512 with BW, VL and DQ. Others process such numbers one
// by one, ten times as slowly as float32.
bool processor_has_bfloat16();

// The setting "precision" of a network's activations and convolutions.
Field precision_field(std::string* precision);

// The number type of a network's activations and convolutions: `embedder.precision` and `head.precision`.
class Precision {
 public:
  // "float32" or "bf16"; throws a usage Error for anything else.
  explicit Precision(std::string name);
  // The requested precision.
  const std::string& name() const { return name_; }
  // bfloat16 if it was requested and the device supports it, else float32. Logs once if a processor does not support
  // it.
  torch::ScalarType on(const torch::Device& device) const;

 private:
  std::string name_;
};

}  // namespace pairs
