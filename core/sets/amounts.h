#pragma once

#include <cstdint>

namespace pairs {

// How much is processed at once, so that memory is bounded and stops are quick. Everything follows from how many
// numbers one observation, or one target, holds (a typical one if they are ragged).

// Observations to embed at once.
std::int64_t observations_at_once(double numbers_each);
// Sets of few observations between two checks for a stop.
std::int64_t sets_at_once(double numbers_each);
// Rows of a head without gradients, for a target of d numbers.
std::int64_t head_rows_at_once(std::int64_t d);

// How many sets, and how many observations of each, are needed to measure the mean and the covariances of embeddings.
struct StatisticsSample {
  std::int64_t sets, observations;
};
StatisticsSample statistics_sample(double numbers_each);

}  // namespace pairs
