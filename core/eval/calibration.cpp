#include "core/eval/calibration.h"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/special_functions/gamma.hpp>

#include "core/base/error.h"

namespace pairs {
namespace {

constexpr std::int64_t kFewestRanks = 20, kMostBins = 20, kRanksPerBin = 10;
constexpr double kFalseAlarms = 0.001;  // of all tests of an evaluation

// The number of samples below the truth that a rank tells.
std::int64_t below(double rank, std::int64_t samples) {
  PAIRS_CHECK(rank >= 0 && rank <= 1, "A rank is {}; ranks lie in [0, 1].", rank);
  return std::min(samples, static_cast<std::int64_t>(std::floor(rank * static_cast<double>(samples) + 0.25)));
}

std::int64_t bin_count(std::int64_t values, std::int64_t ranks) {
  const std::int64_t most = std::min({kMostBins, values, ranks / kRanksPerBin});
  for (std::int64_t bins = most; 2 * bins >= most && bins >= 2; --bins)
    if (values % bins == 0) return bins;
  return most;
}

double largest(const std::vector<RankTest>& tests, double RankTest::*value) {
  double out = NAN;
  for (const RankTest& test : tests)
    if (std::isnan(out) || std::fabs(test.*value) > std::fabs(out)) out = test.*value;
  return out;
}

}  // namespace

RankHistogram rank_histogram(std::span<const double> ranks, std::int64_t samples) {
  const auto count = static_cast<std::int64_t>(ranks.size());
  PAIRS_CHECK(samples >= 1 && count >= kFewestRanks,
              "A histogram of ranks needs {} sets or more and samples of their posteriors; there are {} sets and {} "
              "samples.",
              kFewestRanks, count, samples);
  const std::int64_t values = samples + 1, bins = bin_count(values, count);
  RankHistogram out;
  std::vector<std::int64_t> first;  // value of each bin
  for (std::int64_t b = 0; b <= bins; ++b) {
    first.push_back(b * values / bins);
    out.edges.push_back(static_cast<double>(first.back()) / static_cast<double>(values));
  }
  out.counts.assign(static_cast<std::size_t>(bins), 0);
  for (const double rank : ranks) {
    const std::int64_t bin = std::upper_bound(first.begin(), first.end() - 1, below(rank, samples)) - first.begin() - 1;
    ++out.counts[static_cast<std::size_t>(bin)];
  }
  double chi_square = 0;
  for (std::size_t b = 0; b < out.counts.size(); ++b) {
    const double expected = static_cast<double>(count) * (out.edges[b + 1] - out.edges[b]);
    out.expected.push_back(expected);
    chi_square += (out.counts[b] - expected) * (out.counts[b] - expected) / expected;
  }
  out.p_value = boost::math::gamma_q(0.5 * static_cast<double>(bins - 1), 0.5 * chi_square);
  return out;
}

RankTest rank_test(std::span<const double> ranks, std::int64_t samples) {
  RankTest test;
  if (static_cast<std::int64_t>(ranks.size()) < kFewestRanks || samples < 1) return test;
  const auto values = static_cast<double>(samples + 1), count = static_cast<double>(ranks.size());
  // The value k stands for the middle of its share of [0, 1], (k + 1/2) / (S + 1).
  const auto distance = [&](std::int64_t k) { return std::fabs((static_cast<double>(k) + 0.5) / values - 0.5); };
  const double square = (1 - 1 / (values * values)) / 12, mean = samples % 2 == 1 ? 0.25 : 3 * square;
  double location = 0, width = 0;
  for (const double rank : ranks) {
    const std::int64_t k = below(rank, samples);
    location += ((static_cast<double>(k) + 0.5) / values - 0.5) / count;
    width += (distance(k) - mean) / count;
  }
  test.location_z = location / mean_rank_se(static_cast<std::int64_t>(ranks.size()), samples);
  if (const double variance = square - mean * mean; variance > 1e-12)
    test.width_z = width / std::sqrt(variance / count);
  test.rank_p = rank_histogram(ranks, samples).p_value;
  return test;
}

double mean_rank_se(std::int64_t sets, std::int64_t samples) {
  const auto values = static_cast<double>(samples + 1);
  return std::sqrt((1 - 1 / (values * values)) / 12 / static_cast<double>(sets));
}

double central_coverage_of_uniform(std::int64_t samples, double level) {
  const auto s = static_cast<double>(samples);
  // |2 k - S| <= S level, k from the middle outwards; the slack is that of central_coverage.
  const double reach = s * (level + 1e-12) / 2;
  const double lowest = std::max(0.0, std::ceil(s / 2 - reach)), highest = std::min(s, std::floor(s / 2 + reach));
  return std::max(0.0, highest - lowest + 1) / (s + 1);
}

CalibrationLimits calibration_limits(std::int64_t checks) {
  PAIRS_CHECK(checks >= 1, "Limits of calibration need at least one check; there are {}.", checks);
  const double p = kFalseAlarms / static_cast<double>(checks);
  return {boost::math::quantile(boost::math::complement(boost::math::normal(), p / 2)), p};
}

CalibrationLimits calibration_limits(const std::vector<EvaluationRow>& rows) {
  std::int64_t checks = 0;
  for (const EvaluationRow& row : rows) checks += 3 * static_cast<std::int64_t>(row.rank_tests.size());
  return calibration_limits(std::max<std::int64_t>(1, checks));
}

Calibration calibration(const EvaluationRow& row, const CalibrationLimits& limits) {
  if (row.rank_tests.empty()) return Calibration::unknown;
  const double width = largest(row.rank_tests, &RankTest::width_z);
  double location = largest(row.rank_tests, &RankTest::location_z), p = 1;
  for (const RankTest& test : row.rank_tests) p = std::min(p, test.rank_p);
  if (std::isnan(location) || std::isnan(width)) return Calibration::unknown;
  if (row.pool > 0) {
    p = 1;
    location = 0;
    for (const double z : row.pool_location_z) location = std::max(location, std::fabs(z));
  }
  if (std::fabs(location) > limits.z) return Calibration::off_centre;
  if (std::fabs(width) > limits.z) return width > 0 ? Calibration::too_narrow : Calibration::too_wide;
  return p < limits.p ? Calibration::uneven : Calibration::within_noise;
}

const char* calibration_text(Calibration calibration) {
  switch (calibration) {
    case Calibration::within_noise:
      return "within noise";
    case Calibration::off_centre:
      return "off centre";
    case Calibration::too_narrow:
      return "too narrow";
    case Calibration::too_wide:
      return "too wide";
    case Calibration::uneven:
      return "uneven";
    case Calibration::unknown:
      break;
  }
  return "–";
}

}  // namespace pairs
