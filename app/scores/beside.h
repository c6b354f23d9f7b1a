#pragma once

#include <cstdint>
#include <vector>

#include "app/scores/metrics_file.h"

namespace pairs {

// How far the posterior means of two runs are apart at one set size.
struct MeansApart {
  std::int64_t n = 0, sets = 0;  // sets that both were scored on
  // Root mean square over those sets of (mean - other mean) / sd, sd² the mean of both variances; by target. By the
  // triangle inequality one of the two runs is off the exact posterior mean by half of it or more (rms).
  std::vector<double> rms;
};

// At the sizes at which both have means of their sets, of evaluations of the same test sets. Samples alone set two
// equal posteriors apart by √(2 / S) at most.
std::vector<MeansApart> means_apart(const Metrics& one, const Metrics& other);

// Its rms at one size, by target; empty where means of the sets are not known.
std::vector<double> means_apart_at(const Metrics& one, const Metrics& other, std::int64_t n);

// Puts what means_apart finds into the rows of `metrics`, and names the other run. Throws Error where the two share no
// size with means.
void set_beside(Metrics& metrics, const Metrics& other);

}  // namespace pairs
