#pragma once

#include <cstdint>

namespace pairs {

// How much is handled at once, so that memory is bounded and a request to stop is soon heard. All of it comes from how
// many numbers one observation, or one target, holds: those of a typical one where they are ragged.

// Observations that are embedded at once.
std::int64_t observations_at_once(double numbers_each);
// Sets of few observations between two questions whether to go on.
std::int64_t sets_at_once(double numbers_each);
// Rows of a head without gradients, for a target of d numbers.
std::int64_t head_rows_at_once(std::int64_t d);

// How many sets, and how many observations of each, tell the mean and the covariances of embeddings.
struct StatisticsSample {
  std::int64_t sets, observations;
};
StatisticsSample statistics_sample(double numbers_each);

}  // namespace pairs
