#pragma once

#include <cstdint>
#include <vector>

#include "app/scores/metrics_file.h"

namespace pairs {

// The difference between the posterior means of two runs at one set size.
struct MeansApart {
  std::int64_t n = 0, sets = 0;  // number of sets on which both were scored
  // Root mean square over those sets of (mean - other mean) / sd, sd² the mean of both variances; by target. By the
  // triangle inequality one of the two runs is off the exact posterior mean by half of it or more (rms).
  std::vector<double> rms;
};

// Compares two evaluations on the same test sets, at the sizes at which both have means of their sets. Sampling alone
// makes two equal posteriors differ by at most √(2 / S).
std::vector<MeansApart> means_apart(const Metrics& one, const Metrics& other);

// The rms at one size, by target; empty if the means of the sets are unknown.
std::vector<double> means_apart_at(const Metrics& one, const Metrics& other, std::int64_t n);

// Stores the results of means_apart in the rows of `metrics`, with the name of the other run. Throws Error if the two
// share no size with means.
void set_companion(Metrics& metrics, const Metrics& other);

}  // namespace pairs
