#pragma once

#include <torch/types.h>

#include <cmath>
#include <cstdint>

#include "core/base/numbers/random.h"
#include "tests/long_tests.h"

namespace pairs {

// Sets of a normal model that is solved in closed form: θ ~ N(0, 1)^d, T = θ + 0.5 noise; p(θ | T) = N(0.8 T, 0.2).
// Samples are of N(0.8 T + shift sd, (wide sd)²), so that a shift of 0 and a width of 1 are exact.
struct NormalSets {
  torch::Tensor samples, truth, aggregates;  // [n, S, d], [n, d], [n, d]
};
struct WrongPosterior {
  double shift = 0, wide = 1;
};
inline NormalSets normal_sets(std::int64_t n, std::int64_t draws, std::int64_t targets, std::uint64_t seed,
                              WrongPosterior wrong = {}) {
  NormalSets sets{torch::empty({n, draws, targets}, torch::kFloat64), torch::empty({n, targets}, torch::kFloat64),
                  torch::empty({n, targets}, torch::kFloat64)};
  const double sd = std::sqrt(0.2);
  for (std::int64_t i = 0; i < n; ++i) {
    Stream stream(stream_key(seed, Purpose::check), static_cast<std::uint64_t>(i), 31);
    for (std::int64_t t = 0; t < targets; ++t) {
      const double theta = stream.normal64(), seen = theta + 0.5 * stream.normal64();
      sets.truth.data_ptr<double>()[i * targets + t] = theta;
      sets.aggregates.data_ptr<double>()[i * targets + t] = seen;
      for (std::int64_t s = 0; s < draws; ++s)
        sets.samples.data_ptr<double>()[(i * draws + s) * targets + t] =
            0.8 * seen + sd * (wrong.shift + wrong.wide * stream.normal64());
    }
  }
  return sets;
}

// Whether a share of `repeats` events of probability p lies within four standard errors of it.
inline bool is_share(double share, double p, double repeats) {
  return std::fabs(share - p) <= 4 * std::sqrt(p * (1 - p) / repeats);
}

// How often a test of too narrow a posterior is repeated, and whether it rejected nine in ten, less two standard
// errors.
inline int power_repeats() {
  return long_tests() ? 200 : 20;
}
inline bool has_power(int rejected) {
  const double repeats = power_repeats();
  return rejected / repeats >= 0.9 - 2 * std::sqrt(0.9 * 0.1 / repeats);
}

}  // namespace pairs
