#pragma once

#include <ATen/core/Tensor.h>

#include <string>

#include "core/base/fields.h"

namespace pairs {

// Whether this processor computes in bfloat16: oneDNN needs AVX-512 with BW, VL and DQ. Others take such numbers one by
// one, ten times as slowly as float32.
bool processor_has_bfloat16();

// The setting "precision" of a network's activations and convolutions.
Field precision_field(std::string* precision);

// In what a network's activations and convolutions run: `embedder.precision` and `head.precision`.
class Precision {
 public:
  // "float32" or "bf16"; throws a usage Error for anything else.
  explicit Precision(std::string name);
  // As it was asked for.
  const std::string& name() const { return name_; }
  // bfloat16 where it was asked for and the device computes in it, else float32. Says so once in the log where a
  // processor does not.
  torch::ScalarType on(const torch::Device& device) const;

 private:
  std::string name_;
};

}  // namespace pairs
