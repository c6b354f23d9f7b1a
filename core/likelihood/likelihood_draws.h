#pragma once

#include <torch/types.h>

#include <cstdint>

#include "core/task.h"

namespace pairs {

// Ranges of the sets that a learned likelihood is made from: Purpose::likelihood, by their first index. Each set of
// training has observations_of_a_set() observations.
namespace likelihood_sets {
inline constexpr std::int64_t kTraining = 0;
inline constexpr std::int64_t kPrior = std::int64_t{1} << 36, kScale = std::int64_t{1} << 37;
inline constexpr std::int64_t kValidation = std::int64_t{3} << 36, kIndependence = std::int64_t{1} << 38;
}  // namespace likelihood_sets

// Observations per parameters: a call of a simulator gives many for about the price of one.
inline constexpr std::int64_t kObservationsOfASet = 32;

// Single observations with the parameters of their sets, in the sets' order.
struct LikelihoodDraws {
  torch::Tensor x;           // [M, m] float32
  torch::Tensor parameters;  // [M, d + p] float64
  torch::Tensor given;       // [M, g] float64; undefined if g = 0
};

// The observations of `sets` sets from `first` on, on `device` but the parameters.
LikelihoodDraws draw_observations(const Task& task, std::uint64_t seed, std::int64_t first, std::int64_t sets,
                                  const torch::Device& device);

}  // namespace pairs
