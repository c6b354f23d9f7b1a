#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "core/likelihood/coarsening.h"
#include "core/likelihood/learned_likelihood.h"
#include "core/task.h"

namespace pairs {

// A stored set with its parameters.
struct HeldOutSet {
  Observations x;
  Latents own;
};

// The largest stored sets of a purpose that a likelihood is not learned from, at most `most` and 24, each with 1,000
// observations at most. Sets of fewer than a sixteenth of the largest one's observations, or fewer than 16, are left
// out: what they say about the largest would be an extrapolation.
std::vector<HeldOutSet> largest_sets(const Task& task, std::uint64_t seed, Purpose purpose, std::int64_t most);

// How probable the parameters of a set, θ and ψ, are in its refined posterior by a power of the likelihood: that of the
// mean of the members' densities, or the mean of the members' posteriors where these are apart. Nothing if the set is
// refused. Throws Stopped once `keep_going` returns false.
std::optional<PowerScore> power_score(const LearnedLikelihood& likelihood, const Task& task, const HeldOutSet& set,
                                      const std::function<bool()>& keep_going);

}  // namespace pairs
