#pragma once

#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "core/task.h"

namespace pairs {

// Ranges of the sets that a learned likelihood is made from: Purpose::likelihood, by their first index. Each set of
// training has observations_of_a_set() observations.
namespace likelihood_sets {
inline constexpr std::int64_t kTraining = 0;
inline constexpr std::int64_t kPrior = std::int64_t{1} << 36, kScale = std::int64_t{1} << 37;
inline constexpr std::int64_t kValidation = std::int64_t{3} << 36, kIndependence = std::int64_t{1} << 38;
inline constexpr std::int64_t kCovariates = std::int64_t{5} << 36;
}  // namespace likelihood_sets

// Observations per parameters: a call of a simulator gives many for about the price of one.
inline constexpr std::int64_t kObservationsOfASet = 32;

// Single observations with the parameters of their sets, and the parameters of each set once, as draws of the prior.
struct LikelihoodDraws {
  torch::Tensor x;                 // [M, m] float32
  torch::Tensor parameters;        // [M, d + p] float64
  torch::Tensor given;             // [M, g] float64; undefined if g = 0
  torch::Tensor set;               // [M] int64: the number of the observation's set, ascending
  torch::Tensor prior_parameters;  // [S, d + p] float64
  torch::Tensor prior_given;       // [S, g] float64; undefined if g = 0

  // The observations rows [R] and the sets `sets` [T].
  LikelihoodDraws chosen(const torch::Tensor& rows, const torch::Tensor& sets) const;
};

// The observations of `sets` sets from `first` on, on `device` but the parameters.
LikelihoodDraws draw_observations(const Task& task, std::uint64_t seed, std::int64_t first, std::int64_t sets,
                                  const torch::Device& device);
// All stored sets of a purpose, each with its first observations, as many as fit into memory. `task` is one of stored
// sets. `stop` is called between parts and may throw.
LikelihoodDraws stored_observations(const Task& task, std::uint64_t seed, Purpose purpose,
                                    const std::function<void()>& stop = {});
// Several draws after one another.
LikelihoodDraws joined(const std::vector<LikelihoodDraws>& parts);

}  // namespace pairs
