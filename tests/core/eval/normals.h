#pragma once

#include <torch/types.h>

#include "core/base/random.h"

namespace pairs {

// Standard normals [shape] in float64, the same for the same seed and index.
inline torch::Tensor seeded_normals(torch::IntArrayRef shape, std::uint64_t seed, std::uint64_t index) {
  torch::Tensor x = torch::empty(shape, torch::kFloat64);
  Stream stream(stream_key(seed, Purpose::check), index);
  for (std::int64_t i = 0; i < x.numel(); ++i) x.data_ptr<double>()[i] = stream.normal64();
  return x;
}

}  // namespace pairs
