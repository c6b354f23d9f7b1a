#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace pairs {

// The distribution of the ECDF of `sets` ranks k, uniform on 0, 1, ..., S, at some cuts, for simultaneous bands
// (Säilynoja, Bürkner and Vehtari 2022, "Graphical test for discrete uniformity"). Probabilities are computed exactly,
// cut by cut, without simulation.
class UniformEcdf {
 public:
  // The largest number of cuts, spread evenly over the S + 1 values.
  static constexpr std::int64_t kMostCuts = 50;
  // Throws Error for no sets or no samples.
  UniformEcdf(std::int64_t sets, std::int64_t samples);

  // The expected shares k / (S + 1) at the cuts, ascending, without 0 and 1.
  const std::vector<double>& expected() const { return expected_; }
  // The shares of ranks k / S below the cuts.
  std::vector<double> shares(std::span<const double> ranks) const;

  // The band in which the shares of uniform ranks stay at all cuts simultaneously with at least this probability: the
  // share at every cut leaves it equally often, half of the time on each side. Cached, because it takes a second for
  // 20,000 sets.
  struct Band {
    std::vector<double> low, high;  // [cut]
  };
  Band band(double level) const;
  // The probability that uniform ranks reach a band that these shares just reach. Exact down to 1e-9; below that, an
  // upper bound (Bonferroni).
  double p_value(std::span<const double> shares) const;

  // The largest distance of these shares from the expected ones; and the distance that uniform ranks stay within with
  // this probability.
  double deviation(std::span<const double> shares) const;
  double deviation_limit(double level) const;

 private:
  // How many ranks may lie below each cut.
  struct Bounds {
    std::vector<std::int64_t> low, high;
  };
  Band found_band(double level) const;
  Bounds bounds_beyond(double pointwise) const;
  double pointwise(std::size_t cut, std::int64_t count) const;
  double inside(const Bounds& bounds) const;
  double transition(std::int64_t left, std::int64_t more, double log_p, double log_q) const;
  std::int64_t count_of(double share) const;

  std::int64_t sets_, samples_;
  std::vector<std::int64_t> cuts_;  // ranks below a cut are k < cut
  std::vector<double> expected_;
  std::vector<double> log_factorial_, inverse_;  // ln n! and 1 / n
};

}  // namespace pairs
