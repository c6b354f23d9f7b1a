#pragma once

#include <torch/types.h>

#include <cstdint>

#include "app/posterior/answer/posterior_answer.h"
#include "app/posterior/follow/followed_set.h"

namespace pairs {

// The posterior of a growing set by one run (see FollowedSet). Belongs to one thread at a time.
class FollowedPosterior {
 public:
  // given [1, g] or undefined. `seed` selects the `most` observations kept of more.
  FollowedPosterior(AskedRun run, std::int64_t most, torch::Tensor given, std::uint64_t seed);

  const AskedRun& run() const { return run_; }
  const TaskInfo& info() const { return run_.loaded.task->info(); }
  std::int64_t most() const { return most_; }
  std::int64_t seen() const { return set_.seen(); }
  // The number of observations in the posterior.
  std::int64_t size() const { return set_.size(); }
  // Throws Error naming the observation on which the network overflows.
  void add(const Observations& x);

  // The current posterior, without references, whose cost would grow with the set.
  PosteriorAnswer answer() const;
  torch::Tensor samples(const PosteriorAnswer& answer, std::int64_t draws, std::uint64_t seed) const;

 private:
  AskedRun run_;
  std::int64_t most_;
  torch::Tensor given_;
  FollowedSet set_;
  LargestValue largest_;  // of all observations so far
};

}  // namespace pairs
