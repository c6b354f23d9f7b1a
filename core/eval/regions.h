#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace pairs {

// Test sets whose posterior means of one target lie next to each other, and how many of their truths the central
// intervals of kIntervalLevels hold. Sets are sorted by what their data say, not by their truths: of these an exact
// posterior's intervals hold more in some regions than in others.
struct Region {
  double low, middle, high;  // of the means: the least, the median and the largest
  std::int64_t sets;
  std::array<std::int64_t, 2> inside;  // truths, at kIntervalLevels
  std::array<double, 2> p_value;       // two-sided binomial, that a calibrated posterior's are as far off
};
// Regions of equally many sets but for one, from their means and ranks k / S: ten, or as many as have 20 sets each;
// none of fewer than 40 sets.
std::vector<Region> regions(std::span<const double> means, std::span<const double> ranks, std::int64_t samples);

// Two-sided binomial p-value: twice the smaller tail, 1 at most.
double binomial_p(std::int64_t inside, std::int64_t sets, double share);

// How many of these regions are off at one level or both, each at 5 %; how many tests were made, and the least p-value
// corrected for that (Šidák), NaN without any.
struct RegionTest {
  std::int64_t off = 0, tests = 0;
  double p_value;
};
RegionTest region_test(const std::vector<std::vector<Region>>& of_targets);

}  // namespace pairs
