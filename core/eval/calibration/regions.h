#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace pairs {

// A group of test sets with similar posterior means of one target, and how many of their truths lie within the central
// intervals of kIntervalLevels. Sets are grouped by their data, not by their truths: grouped by truth, the coverage of
// even an exact posterior varies between regions.
struct Region {
  double low, middle, high;  // the smallest, the median and the largest of the means
  std::int64_t sets;
  std::array<std::int64_t, 2> inside;  // truths, at kIntervalLevels
  std::array<double, 2> p_value;       // two-sided binomial: probability that a calibrated posterior deviates as much
};
// Regions of equally many sets, up to one, from their means and ranks k / S: ten, or as many as have at least 20 sets
// each; none for fewer than 40 sets.
std::vector<Region> regions(std::span<const double> means, std::span<const double> ranks, std::int64_t samples);

// Two-sided binomial p-value: twice the smaller tail, at most 1.
double binomial_p(std::int64_t inside, std::int64_t sets, double share);

// How many of these regions deviate at one level or both, each at 5 %; the number of tests, and the smallest p-value
// corrected for that number (Šidák), NaN without tests.
struct RegionTest {
  std::int64_t off = 0, tests = 0;
  double p_value;
};
RegionTest region_test(const std::vector<std::vector<Region>>& of_targets);

}  // namespace pairs
