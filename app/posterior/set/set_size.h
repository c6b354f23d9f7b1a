#pragma once

#include <cstdint>
#include <string>

#include "core/train/run/run.h"

namespace pairs {

// The number of observations of a file's set to use.
struct SetSizeChoice {
  std::int64_t n = 0;   // the first n; 0: all
  bool random = false;  // a random subset of the size seen in training, if the set is larger
  bool force = false;   // allows more than in training, up to the task's largest N
  bool operator==(const SetSizeChoice&) const = default;
};
// The largest set that can be evaluated.
std::int64_t largest_size(const LoadedRun& run, bool force);
// Throws Error, naming the set, if the run does not accept so many observations.
void check_set_size(const LoadedRun& run, bool force, const std::string& name, std::int64_t size);
// Throws a usage Error if the set holds fewer than n observations.
void check_held(std::int64_t n, const std::string& name, std::int64_t held);
// The N for a file's set that holds so many observations. Throws Error, naming the set, if it cannot be used.
std::int64_t file_set_size(const LoadedRun& run, const SetSizeChoice& choice, const std::string& name,
                           std::int64_t held);

}  // namespace pairs
