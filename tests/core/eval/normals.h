#pragma once

#include <torch/types.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/base/numbers/random.h"

namespace pairs {

// Standard normals [shape] in float64, the same for the same seed and index.
inline torch::Tensor seeded_normals(torch::IntArrayRef shape, std::uint64_t seed, std::uint64_t index) {
  torch::Tensor x = torch::empty(shape, torch::kFloat64);
  Stream stream(stream_key(seed, Purpose::check), index);
  for (std::int64_t i = 0; i < x.numel(); ++i) x.data_ptr<double>()[i] = stream.normal64();
  return x;
}

// Calibrated ranks k / samples [n, targets] of targets whose normal scores correlate by `correlation`.
inline torch::Tensor dependent_ranks(std::int64_t n, std::int64_t targets, double correlation, std::uint64_t seed,
                                     std::int64_t samples = 1000) {
  torch::Tensor ranks = torch::empty({n, targets}, torch::kFloat64);
  for (std::int64_t i = 0; i < n; ++i) {
    Stream stream(stream_key(seed, Purpose::check), static_cast<std::uint64_t>(i), 7);
    const double shared = std::sqrt(correlation) * stream.normal64();
    for (std::int64_t t = 0; t < targets; ++t) {
      const double z = shared + std::sqrt(1 - correlation) * stream.normal64();
      const double below = 0.5 * std::erfc(-z / std::sqrt(2.0)) * static_cast<double>(samples + 1);
      ranks.data_ptr<double>()[i * targets + t] =
          std::min(std::floor(below), static_cast<double>(samples)) / static_cast<double>(samples);
    }
  }
  return ranks;
}

}  // namespace pairs
