#pragma once

#include <torch/types.h>

#include <cstdint>
#include <functional>

namespace pairs {

// A distribution to be reached from another one by steps: samples of `start` [S, D], the log density of it -> [S], and
// the log of the factor that it is multiplied with -> [S]; float64. Densities may be -infinity.
struct TemperedTarget {
  std::function<torch::Tensor(std::int64_t count, std::uint64_t key)> samples;
  // z [S, D] -> [S, 2]: log density of `samples`, and log of the factor.
  std::function<torch::Tensor(const torch::Tensor& z)> log;
};

struct SequentialOptions {
  std::int64_t particles = 1000;  // even
  double moves = 6;               // accepted moves of each particle, on average, at each temperature
  std::int64_t most_moves = 40;   // and moves in all
  std::uint64_t key = 1;          // of all random numbers
};

// Equally weighted samples.
struct SequentialSamples {
  torch::Tensor z;          // [S, D]
  double log_normalizer{};  // of the factor's mean under `start`
  double effective = 0;     // independent samples that the means of z are as good as
  std::int64_t steps = 0;   // temperatures
};

// Sequential Monte Carlo (Del Moral, Doucet and Jasra 2006): the factor is raised to powers that ascend to 1 such that
// at each one 70 % of the samples stay effective, these are resampled, and move by differences of other samples (ter
// Braak 2006), which have the directions of curved posteriors and lead from mode to mode. Throws what `log` throws;
// Error if the factor is 0 at all samples.
SequentialSamples sequential_samples(const TemperedTarget& target, const SequentialOptions& options);

}  // namespace pairs
