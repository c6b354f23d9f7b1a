#pragma once

#include <cstdint>

namespace pairs {

// The smallest faults that an evaluation of so many sets detects in four of five cases: a posterior shifted by `shift`
// of its sds, and one whose sd is `narrow` < 1 times the right one. Assumes normal posteriors and only the tests of
// location and width at their limit `z` (TestLimits). INFINITY and 0 if even the largest fault may be missed.
struct DetectableFault {
  double shift = 0, narrow = 1;
};
DetectableFault detectable_fault(std::int64_t sets, double z);
// `narrow` for a test of the mean standardized width (PooledTest) with this standard error.
double detectable_width(double error, double z);

}  // namespace pairs
