#pragma once

#include <cstdint>

namespace pairs {

// How far off posteriors must be to be noticed, by an evaluation of so many sets in four of five cases: one that is
// shifted by `shift` of its sds, and one whose sd is the right one times `narrow`, below one. Of normal posteriors, by
// the tests of location and width alone, at their limit `z` (TestLimits). INFINITY and 0 where even the farthest may be
// missed.
struct DetectableFault {
  double shift = 0, narrow = 1;
};
DetectableFault detectable_fault(std::int64_t sets, double z);
// The same `narrow` of a test of the mean standardized width (PooledTest) with this standard error.
double detectable_width(double error, double z);

}  // namespace pairs
